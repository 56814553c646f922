package com.example.generic;

import java.io.Serializable;
import java.util.List;
import java.util.function.Supplier;

/** Which interfaces with type arguments a class implements. */
public class Generic {
    static class Own<C> implements Text<C>, Supplier<C>, Serializable {
        C c;

        public C get() {
            return c;
        }
    }

    interface Pair<A, B> extends Serializable {
    }

    interface Text<T> extends Pair<List<T>, String> {
    }

    static abstract class Base<A, B> implements Pair<B, A> {
        A a;
    }

    /** What its super class implements is said there. */
    static class Sub<X> extends Base<X, String> {
    }

    /** There is no parameter to tell. */
    static class Plain implements Pair<String, Long> {
        int n;
    }

    record Tuple<B, A>(A a, B b) implements Pair<A, B> {
    }
}
