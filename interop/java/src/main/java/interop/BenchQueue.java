package interop;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * One queue under load, or several as one: each method is one command and returns its reply.
 *
 * <p>Of several queues, each gets an offer in turn, and each thread takes from one.
 */
@SuppressWarnings("deprecation") // RDelayedQueue is deprecated since 3.46.0, and is what is measured
final class BenchQueue {
    private static final String FILLING = "x".repeat(51);

    private final List<RBlockingQueue<String>> targets = new ArrayList<>();
    private final List<RDelayedQueue<String>> delayed = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** Opens the queue NAME, or for NAME/COUNT/LABEL the queues {NAME:0}LABEL to {NAME:(COUNT - 1)}LABEL. */
    BenchQueue(RedissonClient redisson, String name) {
        String[] parts = name.split("/");
        int count = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
        for (int i = 0; i < count; i++) {
            String one = parts.length == 1 ? name : "{" + parts[0] + ":" + i + "}" + parts[2];
            RBlockingQueue<String> target = redisson.getBlockingQueue(one, StringCodec.INSTANCE);
            targets.add(target);
            delayed.add(redisson.getDelayedQueue(target));
        }
    }

    void close() {
        delayed.forEach(RDelayedQueue::destroy);
    }

    /** Offers from so many threads until the time is over. */
    String offer(int windowMillis, int threads, int minMillis, int maxMillis) throws Exception {
        AtomicInteger offered = new AtomicInteger();
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(windowMillis);
        BenchThreads.run(threads, thread -> {
            while (System.nanoTime() < end) {
                next().offer(value(offered.getAndIncrement()), delay(minMillis, maxMillis), TimeUnit.MILLISECONDS);
            }
        });
        return rate(offered.get(), start);
    }

    /** Offers with so many in flight until the time is over. */
    String offerAsync(int windowMillis, int inFlight, int minMillis, int maxMillis) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(windowMillis);
        return offerWhile(i -> System.nanoTime() < end, inFlight, minMillis, maxMillis);
    }

    /** Offers so many, all of them in flight at once: Redisson has no bulk offer, and RBatch no delayed queue. */
    String offerAll(int count, int minMillis, int maxMillis) throws Exception {
        return offerWhile(i -> i < count, count, minMillis, maxMillis);
    }

    /** Takes with {@code take()} in so many threads, until so many are taken or the time is over. */
    String take(int count, int threads, int windowMillis) throws Exception {
        AtomicInteger taken = new AtomicInteger();
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(windowMillis);
        takeUntil(end, count, threads, value -> taken.incrementAndGet());
        return rate(taken.get(), start);
    }

    /** Takes many with each call of {@code poll(limit)} or {@code drainTo(c, limit)}. */
    String takeMany(String how, int count, int limit, int windowMillis) {
        boolean drains = how.equals("drain");
        int taken = 0;
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(windowMillis);
        RBlockingQueue<String> target = targets.get(0);
        while (taken < count && System.nanoTime() < end) {
            taken += drains ? target.drainTo(new ArrayList<>(), limit) : target.poll(limit).size();
        }
        return rate(taken, start);
    }

    /** Takes so many in so many threads, and says when each was in hand. */
    String collect(int count, int threads) throws Exception {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        takeUntil(Long.MAX_VALUE, count, threads,
                value -> seen.add(value.substring(0, value.indexOf('-')) + ":" + nowMicros()));
        return "ok " + String.join(" ", seen);
    }

    /** Offers so many a second, or at once if that is 0, and collects them meanwhile. */
    String deliver(int count, int threads, int perSecond, int minMillis, int maxMillis) throws Exception {
        CompletableFuture<String> collected = new CompletableFuture<>();
        Thread collector = new Thread(() -> BenchThreads.complete(collected, () -> collect(count, threads)));
        collector.start();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (perSecond > 0) {
                long next = start + TimeUnit.SECONDS.toNanos(1) * i / perSecond;
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            }
            next().offer(value(i), delay(minMillis, maxMillis), TimeUnit.MILLISECONDS);
        }
        return collected.get();
    }

    /** Leaves so many threads waiting for elements, which they forget. */
    String startWaiting(int threads) {
        for (int i = 0; i < threads; i++) {
            RBlockingQueue<String> target = targets.get(i % targets.size());
            Thread thread = new Thread(() -> {
                while (true) {
                    try {
                        target.take();
                    } catch (InterruptedException | RuntimeException e) {
                        return;
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        return "ok";
    }

    /** Makes one call about each of the members, one after the other; how many microseconds each took. */
    String each(String call, Iterator<String> members) {
        StringJoiner times = new StringJoiner(" ", "ok ", "");
        RDelayedQueue<String> queue = delayed.get(0);
        while (members.hasNext()) {
            byte[] member = HexFormat.of().parseHex(members.next());
            int header = 1 + member[0] + Long.BYTES;
            String value = new String(member, header, member.length - header, StandardCharsets.UTF_8);
            long start = System.nanoTime();
            switch (call) {
                case "offer" -> queue.offer(value, delay(3_600_000, 7_200_000), TimeUnit.MILLISECONDS);
                case "remove" -> queue.remove(value);
                case "contains" -> queue.contains(value);
                default -> {
                    return "err unsupported";
                }
            }
            times.add(Long.toString(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start)));
        }
        return times.toString();
    }

    /**
     * Takes so many in so many threads, if the time is not over before.
     *
     * <p>Each queue has to have the same part of the elements, and a thread at least.
     */
    private void takeUntil(long end, int count, int threads, Consumer<String> taken) throws Exception {
        List<AtomicInteger> started = targets.stream().map(any -> new AtomicInteger()).toList();
        BenchThreads.run(threads, thread -> {
            int place = thread % targets.size();
            while (System.nanoTime() < end && started.get(place).getAndIncrement() < count / targets.size()) {
                taken.accept(targets.get(place).take());
            }
        });
    }

    /** The queue whose turn it is to get an offer. */
    private RDelayedQueue<String> next() {
        return delayed.get(turn.getAndIncrement() % delayed.size());
    }

    private String offerWhile(IntPredicate goesOn, int inFlight, int minMillis, int maxMillis)
            throws Exception {
        Semaphore free = new Semaphore(inFlight);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long start = System.nanoTime();
        int offered = 0;
        while (goesOn.test(offered) && failure.get() == null) {
            free.acquire();
            next().offerAsync(value(offered), delay(minMillis, maxMillis), TimeUnit.MILLISECONDS)
                    .whenComplete((done, error) -> {
                        failure.compareAndSet(null, error);
                        free.release();
                    });
            offered++;
        }
        free.acquire(inFlight);
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        return rate(offered, start);
    }

    /** Text of 60 bytes that starts with a number. */
    private static String value(int number) {
        // String.format would take longer than the rest of an asynchronous offer.
        String digits = Integer.toString(number);
        return "0".repeat(8 - digits.length()) + digits + "-" + FILLING;
    }

    private static long delay(int minMillis, int maxMillis) {
        return ThreadLocalRandom.current().nextLong(minMillis, maxMillis + 1L);
    }

    private static String rate(int count, long start) {
        return "ok " + count + " " + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
    }

    private static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
