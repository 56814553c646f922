package com.example;

import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.codec.TypedJsonJacksonCodec;
import org.redisson.config.Config;

/**
 * Places orders, ten a second, and puts each on a delayed queue, from which a service in Rust takes it a second later.
 * Arguments: the name of the queue, and how many orders. Uses the Redis of REDIS_URL, or the one on this machine.
 */
public final class PlaceOrders {
    private PlaceOrders() {
    }

    public static void main(String[] args) throws InterruptedException {
        String url = System.getenv().getOrDefault("REDIS_URL", "redis://127.0.0.1:6379");
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        RedissonClient redisson = Redisson.create(config);
        TypedJsonJacksonCodec codec = new TypedJsonJacksonCodec(Order.class);
        RBlockingQueue<Order> due = redisson.getBlockingQueue(args[0], codec);
        RDelayedQueue<Order> queue = redisson.getDelayedQueue(due);

        for (int id = 1; id <= Integer.parseInt(args[1]); id++) {
            queue.offer(new Order(id, 1 + id % 3), 1, TimeUnit.SECONDS);
            System.out.println("Java placed order " + id);
            Thread.sleep(100);
        }
        // Redisson no longer moves what becomes due from here on. The Rust service does.
        redisson.shutdown();
    }
}
