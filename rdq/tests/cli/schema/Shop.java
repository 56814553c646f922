package com.example.shop;

import com.example.orders.Address;
import java.util.List;

/** The class of an application, which needs those of a library. */
public class Shop {
    public String name;
    public List<Address> addresses;
}
