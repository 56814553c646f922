package interop;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

/**
 * Runs real Redisson by one command a line on stdin and one reply a line on stdout.
 *
 * <p>The protocol is written down in {@code interop/README.md}.
 */
public final class Peer {
    private final RedissonClient redisson;
    private final Map<String, Handle> handles = new HashMap<>();

    private Peer(RedissonClient redisson) {
        this.redisson = redisson;
    }

    public static void main(String[] args) throws Exception {
        Lines lines = new Lines();
        RedissonClient redisson = Redisson.create(new Settings(args).config());
        lines.serve(new Peer(redisson)::reply);
        redisson.shutdown();
        lines.end();
    }

    private String reply(String line) {
        try {
            return run(new Arguments(line));
        } catch (Exception | LinkageError e) {
            // A payload that names an abstract class is an InstantiationError.
            return Lines.error(e);
        }
    }

    private String run(Arguments arguments) throws Exception {
        String command = arguments.word();
        String name = arguments.word();
        return switch (command) {
            case "open" -> open(name, Handle.open(redisson, arguments.name(), arguments.word()));
            case "open-offering" -> open(name, Handle.openOffering(redisson, arguments.name(), arguments.word()));
            case "open-target" -> open(name, Handle.openTarget(redisson, arguments.name(), arguments.word()));
            case "shard" -> "ok " + Shards.shardOf(Values.bytes(name), arguments.rest());
            default -> run(command, handle(name), arguments);
        };
    }

    private String open(String name, Handle handle) {
        handles.put(name, handle);
        return "ok";
    }

    private Handle handle(String name) {
        Handle handle = handles.get(name);
        if (handle == null) {
            throw new IllegalArgumentException("no open handle: " + name);
        }
        return handle;
    }

    private static String run(String command, Handle handle, Arguments arguments) throws Exception {
        return switch (command) {
            case "offer" -> handle.offer(arguments.unsigned(), arguments.word());
            case "offer-many" -> handle.offerMany(
                    arguments.unsigned(), arguments.unsigned(), arguments.word(), arguments.number());
            case "take" -> handle.take();
            case "poll" -> handle.poll(arguments.timeout());
            case "drain" -> handle.drain(arguments.timeout());
            case "remove" -> handle.remove(arguments.word());
            case "contains" -> handle.contains(arguments.word());
            case "size" -> handle.size();
            case "read-all" -> handle.readAll();
            case "peek" -> handle.peek();
            case "clear" -> handle.clear();
            case "target-size" -> handle.targetSize();
            case "target-offer" -> handle.targetOffer(arguments.word());
            case "destroy" -> handle.destroy();
            case "call" -> {
                Call call = call(handle, arguments);
                yield call == null ? "err unsupported" : call.reply();
            }
            case "time" -> {
                Call call = call(handle, arguments);
                yield call == null ? "err unsupported" : call.time();
            }
            default -> throw new AssertionError("a command has a usage and no implementation: " + command);
        };
    }

    private static Call call(Handle handle, Arguments arguments) throws IOException {
        return handle.call(arguments.word(), arguments.word(), arguments.rest());
    }
}
