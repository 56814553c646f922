package com.example.headers;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Passes everything on to another map. */
public abstract class Headers implements Map<String, List<String>> {
    private final Map<String, List<String>> all = new HashMap<>();

    public int size() {
        return all.size();
    }
}
