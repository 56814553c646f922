package com.example.odd;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Forms that the orders do not need. */
public class Odd<K extends Comparable<K>, V> implements Serializable, Comparator<String> {
    static int counter = 1;
    private static final String SECRET = "s";
    protected transient int cache;
    volatile long seen;
    K key;
    Map<K, ? extends Collection<V>> all;
    List<? super Integer> into;
    V[] array;
    byte[][] blobs;
    Duration takes;
    UUID id;
    EnumMap<Level, Set<String>> levels;
    Shape shape;
    Odd<K, V> next;
    int self;
    String type;

    public int compare(String a, String b) {
        return a.compareTo(b);
    }

    synchronized strictfp void work() {
    }

    private void hidden() {
    }

    /** Only some constants have bodies. An object of a class without a name takes its number. */
    enum Level {
        LOW(new Object() {
        }),
        NOT_SO_HIGH(null) {
            @Override
            int weight() {
                return 5;
            }
        },
        high(new Object());

        Level(Object argument) {
        }

        int weight() {
            return 1;
        }
    }

    /** A field of it holds one of its classes. */
    sealed interface Shape permits Circle, Group {
    }

    record Circle(double radius) implements Shape {
    }

    record Group(Shape first, List<Shape> others) implements Shape, Serializable {
        private static final long serialVersionUID = 7;
    }

    /** The compiler gives it a field for the object around it. */
    class Inner implements Serializable {
        int x;
    }

    static final class Written implements Serializable {
        @JsonIgnore
        int x;

        private void writeObject(ObjectOutputStream out) {
        }
    }

    interface Marker extends Serializable {
        int SIZE = 3;
    }

    static abstract class Base<T> implements Marker {
        T value;
        static {
            System.out.print("");
        }
    }

    static class Unused<A, B> extends Base<List<A>> {
        public Unused() {
        }

        protected Unused(int x, String... more) {
        }
    }
}
