package interop.named;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/** Points in time, spans and zones. */
final class Times {
    private Times() {
    }

    static void addTo(Map<String, Object> values) {
        values.put("date", new Date(1700000000123L));
        values.put("date.0", new Date(0));
        values.put("date.neg", new Date(-1L));
        values.put("sql.timestamp", timestamp());
        values.put("sql.date", new java.sql.Date(1700000000000L));
        values.put("calendar", calendar());
        values.put("instant", Instant.ofEpochSecond(1700000000L, 123456789));
        values.put("instant.0", Instant.EPOCH);
        values.put("instant.neg", Instant.ofEpochSecond(-1, 5));
        values.put("instant.milli", Instant.ofEpochMilli(1700000000123L));
        values.put("instant.sec", Instant.ofEpochSecond(1700000000L));
        values.put("localdatetime", LocalDateTime.of(2024, 2, 29, 13, 14, 15, 123456789));
        values.put("localdatetime.sec", LocalDateTime.of(2024, 2, 29, 13, 14, 15));
        values.put("localdatetime.min", LocalDateTime.of(2024, 2, 29, 13, 14));
        values.put("localdatetime.hour", LocalDateTime.of(2024, 2, 29, 13, 0));
        values.put("localdatetime.midnight", LocalDateTime.of(2024, 2, 29, 0, 0));
        values.put("localdate", LocalDate.of(2024, 2, 29));
        values.put("localdate.bc", LocalDate.of(-44, 3, 15));
        values.put("localtime", LocalTime.of(13, 14, 15, 5));
        values.put("localtime.13h", LocalTime.of(13, 0));
        values.put("duration", Duration.ofSeconds(90, 5));
        values.put("duration.neg", Duration.ofMillis(-1));
        values.put("period", Period.of(1, 2, 3));
        values.put("zoneddatetime", ZonedDateTime.of(2024, 2, 29, 13, 14, 15, 0, ZoneId.of("Europe/Paris")));
        values.put("offsetdatetime", OffsetDateTime.of(2024, 2, 29, 13, 14, 15, 0, ZoneOffset.ofHours(2)));
        values.put("zoneid", ZoneId.of("Europe/Paris"));
        values.put("zoneoffset", ZoneOffset.ofHoursMinutes(5, 30));
        values.put("zoneoffset.odd", ZoneOffset.ofTotalSeconds(3601));
        values.put("year", Year.of(2024));
        values.put("yearmonth", YearMonth.of(2024, 2));
        values.put("timezone", TimeZone.getTimeZone("Europe/Paris"));
    }

    private static Timestamp timestamp() {
        Timestamp timestamp = new Timestamp(1700000000123L);
        timestamp.setNanos(123456789);
        return timestamp;
    }

    private static Calendar calendar() {
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.ROOT);
        calendar.setTimeInMillis(1700000000123L);
        return calendar;
    }
}
