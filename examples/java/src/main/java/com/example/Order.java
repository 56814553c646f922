package com.example;

/** An order; the examples in Rust have a struct for it. */
public class Order {
    public int orderId;
    public int quantity;

    /** Jackson creates the object empty and then sets what the text names. */
    public Order() {
    }

    public Order(int orderId, int quantity) {
        this.orderId = orderId;
        this.quantity = quantity;
    }
}
