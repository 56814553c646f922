package interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Work that many threads do at once. */
final class BenchThreads {
    private BenchThreads() {}

    /** What each thread does, which knows its number. */
    interface Work {
        void run(int thread) throws Exception;
    }

    /** Has so many threads do the same, and waits for all; what one of them threw is thrown. */
    static void run(int count, Work work) throws Exception {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            int number = i;
            new Thread(() -> complete(end, () -> {
                work.run(number);
                return null;
            })).start();
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
