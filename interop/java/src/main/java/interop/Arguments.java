package interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The tokens of one command line, checked against the command's usage and read from left to right. */
final class Arguments {
    private static final Map<String, String> USAGE = """
            open H NAME CODEC
            open-offering H NAME CODEC
            open-target H NAME CODEC
            offer H DELAY_MS VALUE
            offer-many H COUNT MAX_DELAY_MS PREFIX SEED
            take H
            poll H TIMEOUT_MS
            drain H IDLE_MS
            remove H VALUE
            contains H VALUE
            size H
            read-all H
            peek H
            clear H
            target-size H
            target-offer H VALUE
            destroy H
            shard VALUE NAME...
            call H OBJECT METHOD ARG...
            time H OBJECT METHOD ARG...
            """.lines().collect(Collectors.toMap(usage -> usage.split(" ")[0], Function.identity()));

    private final Iterator<String> tokens;

    /** A negative limit keeps empty tokens, so that two spaces in a row are an error and not a silent repair. */
    Arguments(String line) {
        List<String> all = Arrays.asList(line.split(" ", -1));
        String usage = USAGE.get(all.get(0));
        if (usage == null) {
            throw new IllegalArgumentException("unknown command: " + all.get(0));
        }
        int count = usage.split(" ").length;
        boolean fits = usage.endsWith("...") ? all.size() >= count - 1 : all.size() == count;
        if (!fits || all.contains("")) {
            throw new IllegalArgumentException("usage: " + usage);
        }
        tokens = all.iterator();
    }

    String word() {
        return tokens.next();
    }

    /** The name of a queue, which may have spaces. */
    String name() {
        return word().replace("%20", " ");
    }

    /** Everything that was not read yet. */
    List<String> rest() {
        List<String> rest = new ArrayList<>();
        tokens.forEachRemaining(rest::add);
        return rest;
    }

    long number() {
        return Long.parseLong(tokens.next());
    }

    /** A count or a time in milliseconds. */
    long unsigned() {
        long number = number();
        if (number < 0) {
            throw new IllegalArgumentException("negative: " + number);
        }
        return number;
    }

    /** Redisson truncates to whole seconds, and zero seconds does not mean a short wait. */
    long timeout() {
        long millis = unsigned();
        if (millis > 0 && millis < 1000) {
            throw new IllegalArgumentException("a wait is 0 or at least 1000 ms: " + millis);
        }
        return millis;
    }
}
