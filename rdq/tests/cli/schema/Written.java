package com.example.written;

import java.io.IOException;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;

/** What Java's own serialization writes, and what Jackson 3 shows. */
public class Written {
    static class Fields implements Serializable {
        String s;

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (s == null) {
                throw new IllegalStateException(toString());
            }
            out.defaultWriteObject();
        }
    }

    static class Put implements Serializable {
        String s;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.putFields().put("s", s);
            out.writeFields();
        }
    }

    static class More implements Serializable {
        String s;
        transient int x;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(x);
        }
    }

    static class Own implements Serializable {
        String s;
        String t;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.writeObject(t);
            out.writeObject(s);
        }
    }

    static class Helped implements Serializable {
        String s;

        private void writeObject(ObjectOutputStream out) throws IOException {
            help(out);
        }

        private void help(ObjectOutput out) throws IOException {
            out.writeObject(s);
        }
    }

    static class Tags extends ArrayList<String> {
        int n;
    }

    enum Named {
        A
    }

    enum Shown {
        A;

        @Override
        public String toString() {
            return "a";
        }
    }

    enum Body {
        A {
            @Override
            public String toString() {
                return "a";
            }
        }
    }
}
