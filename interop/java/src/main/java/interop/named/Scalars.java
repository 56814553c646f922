package interop.named;

import com.example.orders.Priority;
import com.example.orders.Status;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.util.BitSet;
import java.util.Currency;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Texts, numbers, constants and other values that hold no values of their own. */
final class Scalars {
    private Scalars() {
    }

    static void addTo(Map<String, Object> values) {
        values.put("str.empty", "");
        values.put("str.ascii", "hello world");
        values.put("str.utf8", "h\u00e9llo \u4e16\u754c \ud83d\ude80");
        values.put("str.1ascii", "a");
        values.put("str.1latin", "\u00e9");
        values.put("str.1cjk", "\u4e16");
        values.put("str.emoji", "\ud83d\ude80");
        values.put("str.100k", "abcdefghijklmnopqrstuvwxyz".repeat(3847).substring(0, 100_000));
        values.put("str.100k.utf8", "\u4e16\ud83d\ude80x".repeat(25_000));
        values.put("str.2", "ab");
        values.put("str.31", "x".repeat(31));
        values.put("str.32", "x".repeat(32));
        values.put("str.33", "x".repeat(33));
        values.put("str.62", "x".repeat(62));
        values.put("str.63", "x".repeat(63));
        values.put("str.64", "x".repeat(64));
        values.put("str.65", "x".repeat(65));
        values.put("str.128", "x".repeat(128));
        values.put("str.8190", "y".repeat(8190));
        values.put("str.8191", "y".repeat(8191));
        values.put("str.8192", "y".repeat(8192));
        values.put("str.32.latin", "x".repeat(31) + "\u00e9");
        values.put("str.63.latin", "\u00e9".repeat(63));
        values.put("str.64.latin", "\u00e9".repeat(64));
        values.put("str.nul", "a\u0000b");
        values.put("str.escapes", "q\"b\\s/\n\r\t\b\f\u0001\u001f\u007f\u0080\u2028\u2029<>&'");
        values.put("str.lonesurrogate", "x\ud800y");
        values.put("str.bmpmax", "\uffff\ufeff");
        values.put("str.del", "\u007f\u007f");
        values.put("str.json", "{\"a\":1}");
        values.put("str.number", "12345");
        for (int i : new int[]{Integer.MIN_VALUE, -1, 0, 127, 128, Integer.MAX_VALUE}) {
            values.put("int." + i, i);
        }
        for (int i : new int[]{
                1, 63, 64, -64, -65, -128, -129, 255, 256, 8191, 8192, 1048575, 1048576}) {
            values.put("int." + i, i);
        }
        for (long i : new long[]{Long.MIN_VALUE, -1, 0, 127, 128, Long.MAX_VALUE}) {
            values.put("long." + i, i);
        }
        for (long i : new long[]{
                1, 42, Integer.MAX_VALUE, 1L + Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE - 1L,
                9007199254740993L, 1L << 55, 1L << 56}) {
            values.put("long." + i, i);
        }
        values.put("byte.-2", (byte) -2);
        values.put("short.-300", (short) -300);
        values.put("char.x", 'x');
        values.put("char.cjk", '\u4e16');
        values.put("float.1.5", 1.5f);
        values.put("double.1.5", 1.5);
        values.put("double.0.1", 0.1);
        values.put("double.0", 0.0);
        values.put("double.-0", -0.0);
        values.put("double.100", 100.0);
        values.put("double.1e300", 1e300);
        values.put("double.1e7", 1e7);
        values.put("double.1e-3", 1e-3);
        values.put("double.9.99e-4", 9.99e-4);
        values.put("double.min", Double.MIN_VALUE);
        values.put("double.nan", Double.NaN);
        values.put("double.inf", Double.POSITIVE_INFINITY);
        values.put("double.-inf", Double.NEGATIVE_INFINITY);
        values.put("double.19.99", 19.99);
        values.put("double.2^53", 9007199254740992.0);
        values.put("double.123456789.125", 123456789.125);
        values.put("bool.true", true);
        values.put("bool.false", false);
        values.put("decimal.123.4500", new BigDecimal("123.4500"));
        values.put("decimal.zero", BigDecimal.ZERO);
        values.put("decimal.one", BigDecimal.ONE);
        values.put("decimal.newzero", new BigDecimal("0"));
        values.put("decimal.0.00", new BigDecimal("0.00"));
        values.put("decimal.1E3", new BigDecimal("1E+3"));
        values.put("decimal.-12.5", new BigDecimal("-12.5"));
        values.put("decimal.1E-20", new BigDecimal("1E-20"));
        values.put("decimal.big", new BigDecimal("123456789012345678901234567890.123456789"));
        values.put("decimal.-128", new BigDecimal("-128"));
        values.put("decimal.127", new BigDecimal("127"));
        values.put("decimal.128", new BigDecimal("128"));
        values.put("decimal.maxlong", new BigDecimal(Long.MAX_VALUE));
        values.put("bigint.0", BigInteger.ZERO);
        values.put("bigint.128", BigInteger.valueOf(128));
        values.put("bigint.-1", BigInteger.valueOf(-1));
        values.put("bigint.2^70", BigInteger.ONE.shiftLeft(70));
        values.put("bytes", new byte[]{0, 1, 2, 127, (byte) 128, (byte) 255});
        values.put("bytes.empty", new byte[0]);
        values.put("bytes.300", new byte[300]);
        values.put("uuid", UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
        values.put("uuid.max", new UUID(-1L, Long.MIN_VALUE));
        values.put("enum", Status.PAID);
        values.put("enum.first", Status.NEW);
        values.put("enum.body", Priority.HIGH);
        values.put("enum.jdk", TimeUnit.SECONDS);
        values.put("atomic.int", new AtomicInteger(5));
        values.put("atomic.long", new AtomicLong(5));
        values.put("atomic.bool", new AtomicBoolean(true));
        values.put("uri", URI.create("http://x/y?z=1"));
        values.put("url", url());
        values.put("locale", Locale.CANADA_FRENCH);
        values.put("currency", Currency.getInstance("EUR"));
        values.put("class", String.class);
        values.put("stringbuilder", new StringBuilder("sb"));
        values.put("pattern", Pattern.compile("a+", 2));
        values.put("bitset", BitSet.valueOf(new long[]{5, 1L << 63}));
        values.put("inet", InetAddress.getLoopbackAddress());
    }

    private static URL url() {
        try {
            return URI.create("http://example.com/a").toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
