package interop;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RBlockingDeque;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisTimeoutException;

/** One open queue: each method is one command and returns its reply. */
@SuppressWarnings("deprecation") // RDelayedQueue is deprecated since 3.46.0, and is what the tests are about
final class Handle {
    /** Enough to keep the connection pool busy, few enough that no offer waits long for a connection. */
    private static final int OFFERS_IN_FLIGHT = 32;

    private final Values values;
    private final RBlockingQueue<Object> target;
    /** The same list with both ends. */
    private final RBlockingDeque<Object> deque;
    /** Null where only the target is open, because creating one would start Redisson's transfer. */
    private final RDelayedQueue<Object> delayed;

    private Handle(
            Values values,
            RBlockingQueue<Object> target,
            RBlockingDeque<Object> deque,
            RDelayedQueue<Object> delayed) {
        this.values = values;
        this.target = target;
        this.deque = deque;
        this.delayed = delayed;
    }

    static Handle open(RedissonClient redisson, String name, String codec) throws Exception {
        Handle handle = openTarget(redisson, name, codec);
        return new Handle(handle.values, handle.target, handle.deque, delayedQueue(redisson, handle.target));
    }

    /** Redisson has no queue without a transfer; one that was destroyed still offers, looks and removes. */
    static Handle openOffering(RedissonClient redisson, String name, String codec) throws Exception {
        Handle handle = open(redisson, name, codec);
        handle.destroy();
        return handle;
    }

    static Handle openTarget(RedissonClient redisson, String name, String codec) throws Exception {
        Values values = Values.named(codec);
        RBlockingQueue<Object> target = redisson.getBlockingQueue(name, values.codec());
        return new Handle(values, target, redisson.getBlockingDeque(name, values.codec()), null);
    }

    /**
     * Opens a delayed queue, again if Redisson loses itself in its two subscriptions.
     *
     * <p>Before 4.6.1 its AsyncSemaphore can miss that the first is done, once in some thousand times, and then the
     * second gives up after 7.5 s. What is left transfers and hears no messages; closing it takes a destroy for each
     * attempt to open it.
     */
    private static RDelayedQueue<Object> delayedQueue(RedissonClient redisson, RBlockingQueue<Object> target) {
        try {
            return redisson.getDelayedQueue(target);
        } catch (RedisTimeoutException e) {
            System.err.println("opened again: " + e);
            RDelayedQueue<Object> deaf = redisson.getDelayedQueue(target);
            deaf.destroy();
            deaf.destroy();
            return redisson.getDelayedQueue(target);
        }
    }

    String offer(long delayMillis, String value) throws IOException {
        delayed().offer(values.parse(value), delayMillis, TimeUnit.MILLISECONDS);
        return "ok";
    }

    /** The delays are SplitMix64 of the seed, so that a test or a peer in another language can recompute them. */
    String offerMany(long count, long maxDelayMillis, String prefix, long seed) throws Exception {
        RDelayedQueue<Object> queue = delayed();
        SplittableRandom random = new SplittableRandom(seed);
        Semaphore free = new Semaphore(OFFERS_IN_FLIGHT);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (long i = 0; i < count && failure.get() == null; i++) {
            long delay = Long.remainderUnsigned(random.nextLong(), maxDelayMillis + 1);
            Object value = values.parse("=" + prefix + "-" + i);
            free.acquire();
            queue.offerAsync(value, delay, TimeUnit.MILLISECONDS).whenComplete((done, error) -> {
                failure.compareAndSet(null, error);
                free.release();
            });
        }
        free.acquire(OFFERS_IN_FLIGHT);
        if (failure.get() != null) {
            throw new CompletionException(failure.get());
        }
        return "ok";
    }

    String take() throws Exception {
        return taken(target.take());
    }

    String poll(long timeoutMillis) throws Exception {
        return taken(pollValue(timeoutMillis));
    }

    String drain(long idleMillis) throws Exception {
        StringBuilder taken = new StringBuilder();
        int count = 0;
        for (Object value; (value = pollValue(idleMillis)) != null; count++) {
            taken.append(' ').append(nowMicros()).append(':').append(values.print(value));
        }
        return "ok " + count + taken;
    }

    String remove(String value) throws IOException {
        return "ok " + delayed().remove(values.parse(value));
    }

    String contains(String value) throws IOException {
        return "ok " + delayed().contains(values.parse(value));
    }

    String size() {
        return "ok " + delayed().size();
    }

    String readAll() throws IOException {
        List<Object> all = delayed().readAll();
        StringBuilder reply = new StringBuilder("ok ").append(all.size());
        for (Object value : all) {
            reply.append(' ').append(values.print(value));
        }
        return reply.toString();
    }

    String peek() throws IOException {
        Object value = delayed().peek();
        return value == null ? "nil" : "ok " + values.print(value);
    }

    String clear() {
        delayed().clear();
        return "ok";
    }

    String targetSize() {
        return "ok " + target.size();
    }

    String targetOffer(String value) throws IOException {
        target.offer(values.parse(value));
        return "ok";
    }

    String destroy() {
        delayed().destroy();
        return "ok";
    }

    /** A call of any method; null if this Redisson has none that takes these arguments. */
    Call call(String object, String method, List<String> arguments) throws IOException {
        return switch (object) {
            case "delayed" -> Call.of(values, RDelayedQueue.class, delayed(), method, arguments);
            case "deque" -> Call.of(values, RBlockingDeque.class, deque, method, arguments);
            case "queue" -> Call.of(values, RBlockingQueue.class, target, method, arguments);
            default -> throw new IllegalArgumentException("not delayed, deque or queue: " + object);
        };
    }

    private RDelayedQueue<Object> delayed() {
        if (delayed == null) {
            throw new IllegalStateException("only the target is open");
        }
        return delayed;
    }

    private Object pollValue(long timeoutMillis) throws InterruptedException {
        return timeoutMillis == 0 ? target.poll() : target.poll(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** Reads the clock before anything else, so that printing a value does not count as its delay. */
    private String taken(Object value) throws IOException {
        long micros = nowMicros();
        return value == null ? "nil" : "ok " + micros + " " + values.print(value);
    }

    private static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
