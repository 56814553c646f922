package interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Work that many threads do at once. */
final class BenchThreads {
    private BenchThreads() {}

    /** Has so many threads do the same, and waits for all; what one of them threw is thrown. */
    static void run(int count, Callable<Void> work) throws Exception {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            new Thread(() -> complete(end, work)).start();
            ends.add(end);
        }
        for (CompletableFuture<Void> end : ends) {
            end.get();
        }
    }

    static <T> void complete(CompletableFuture<T> end, Callable<T> work) {
        try {
            end.complete(work.call());
        } catch (Exception e) {
            end.completeExceptionally(e);
        }
    }
}
