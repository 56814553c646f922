package com.example.named;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Classes whose annotations stand on methods, or leave values out. */
class Named {
    static class Fluent {
        long total;
        String isbn;
        int count;
        int other;

        @JsonProperty("sum")
        long total() {
            return total;
        }

        @JsonProperty("isbn_13")
        String isbn() {
            return isbn;
        }

        @JsonProperty("how_many")
        void count(int count) {
            this.count = count;
        }

        /** Jackson knows it for no property. */
        @JsonProperty("all")
        void other(int first, int second) {
        }
    }

    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    static class Sparse {
        int priority = 5;
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    static class Full {
        int priority = 5;
    }
}
