package interop;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

/**
 * Measures real Redisson from inside its JVM, by one command a line on stdin and one reply a line on stdout.
 *
 * <p>The commands are written down in {@code interop/README.md}.
 */
public final class Bench {
    private final RedissonClient redisson;
    private final Map<String, BenchQueue> queues = new HashMap<>();

    private Bench(RedissonClient redisson) {
        this.redisson = redisson;
    }

    public static void main(String[] args) throws IOException {
        Lines lines = new Lines();
        RedissonClient redisson = Redisson.create(new Settings(args).addressAlone());
        lines.serve(new Bench(redisson)::reply);
        redisson.shutdown();
        lines.end();
    }

    private String reply(String line) {
        try {
            Iterator<String> words = List.of(line.split(" ")).iterator();
            String command = words.next();
            String name = words.next();
            return command.equals("open-many") ? openMany(name, number(words)) : run(command, name, words);
        } catch (Exception e) {
            return Lines.error(e);
        }
    }

    private String openMany(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            queue(prefix + i);
        }
        return "ok";
    }

    private String run(String command, String name, Iterator<String> words) throws Exception {
        if (command.equals("close")) {
            queue(name).close();
            queues.remove(name);
            return "ok";
        }
        BenchQueue queue = queue(name);
        return switch (command) {
            case "open" -> "ok";
            case "offer" -> queue.offer(number(words), number(words), number(words), number(words));
            case "offer-async" -> queue.offerAsync(number(words), number(words), number(words), number(words));
            case "offer-all" -> queue.offerAll(number(words), number(words), number(words));
            case "take" -> queue.take(number(words), number(words), number(words));
            case "take-many" -> queue.takeMany(words.next(), number(words), number(words), number(words));
            case "collect" -> queue.collect(number(words), number(words));
            case "deliver" -> queue.deliver(number(words), number(words), number(words), number(words), number(words));
            case "wait" -> queue.startWaiting(number(words));
            case "each" -> queue.each(words.next(), words);
            default -> "err unsupported";
        };
    }

    private BenchQueue queue(String name) {
        return queues.computeIfAbsent(name, any -> new BenchQueue(redisson, name));
    }

    private static int number(Iterator<String> words) {
        return Integer.parseInt(words.next());
    }
}
