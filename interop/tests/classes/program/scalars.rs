//! Expressions for values of the JDK that hold no others.

use rand::RngExt;

use super::lists::*;
use super::{DEEPEST, Generator};
use crate::class::Class;

impl Generator {
    pub(super) fn boxed(&mut self, primitive: &str) -> String {
        self.scalar_value(
            match primitive {
                "boolean" => "java.lang.Boolean",
                "byte" => "java.lang.Byte",
                "short" => "java.lang.Short",
                "char" => "java.lang.Character",
                "int" => "java.lang.Integer",
                "long" => "java.lang.Long",
                "float" => "java.lang.Float",
                _ => "java.lang.Double",
            },
            0,
        )
    }

    pub(super) fn scalar_value(&mut self, name: &str, depth: u32) -> String {
        let bits: u64 = self.rng.random();
        let shift = self.rng.random_range(0..64);
        let long = (bits as i64) >> shift;
        match name {
            "java.lang.Boolean" => self.chance(0.5).to_string(),
            "java.lang.Byte" => format!("(byte) {}", long as i8),
            "java.lang.Short" => format!("(short) {}", long as i16),
            "java.lang.Character" => format!("(char) {}", self.unit()),
            "java.lang.Integer" => format!("{}", long as i32),
            "java.lang.Long" => format!("{}L", if long == i64::MIN { 0 } else { long }),
            "java.lang.Float" => format!("{}f", (long as i16) as f32 / 8.0),
            "java.lang.Double" if self.chance(0.1) => self
                .pick(&["Double.NaN", "Double.POSITIVE_INFINITY", "-0.0", "1e300"])
                .to_owned(),
            "java.lang.Double" => format!("{:?}", (long as i32) as f64 / 100.0),
            "java.lang.String" => self.text(),
            "java.math.BigDecimal" => {
                let scale = self.rng.random_range(0..20);
                format!(
                    "new java.math.BigDecimal(java.math.BigInteger.valueOf({}L), {scale})",
                    long / 2
                )
            }
            "java.math.BigInteger" => format!(
                "new java.math.BigInteger(\"{}\")",
                i128::from(long) * i128::from(bits)
            ),
            "java.util.UUID" => {
                format!("new java.util.UUID({}L, {}L)", (bits >> 1) as i64, long / 2)
            }
            // From the year 1 on, in which Java has another calendar than `java.time`.
            "java.util.Date" => {
                format!(
                    "new java.util.Date({}L)",
                    (long >> 15).max(-62_135_769_600_000)
                )
            }
            "java.net.URI" => "java.net.URI.create(\"http://x/y?z=1\")".to_owned(),
            "java.util.Currency" => "java.util.Currency.getInstance(\"EUR\")".to_owned(),
            "java.util.concurrent.TimeUnit" => "java.util.concurrent.TimeUnit.DAYS".to_owned(),
            "java.util.concurrent.atomic.AtomicBoolean" => {
                format!("new {name}({})", self.chance(0.5))
            }
            "java.util.concurrent.atomic.AtomicInteger" => format!("new {name}({})", long as i32),
            "java.util.concurrent.atomic.AtomicLong" => format!("new {name}({}L)", long / 2),
            "java.math.RoundingMode" => {
                let name = self.pick(&["UP", "HALF_EVEN", "UNNECESSARY"]);
                format!("java.math.RoundingMode.{name}")
            }
            "java.time.Month" => format!("java.time.Month.of({})", 1 + bits % 12),
            "java.time.temporal.ChronoUnit" => {
                let name = self.pick(&["NANOS", "HALF_DAYS", "WEEKS", "FOREVER"]);
                format!("java.time.temporal.ChronoUnit.{name}")
            }
            "java.time.Instant" => format!(
                "java.time.Instant.ofEpochSecond({}L, {}L)",
                (long >> 28).abs(),
                bits % 1_000_000_000
            ),
            "java.time.Duration" => format!(
                "java.time.Duration.ofSeconds({}L, {}L)",
                long >> 28,
                bits % 1_000_000_000
            ),
            "java.time.LocalDate" => format!(
                "java.time.LocalDate.ofEpochDay({}L)",
                (long as i16).unsigned_abs()
            ),
            "java.time.LocalDateTime" => format!(
                "java.time.LocalDateTime.ofEpochSecond({}L, {}, java.time.ZoneOffset.UTC)",
                (long as i32).unsigned_abs(),
                bits % 1_000_000_000
            ),
            "java.time.LocalTime" => self.local_time(),
            "java.time.OffsetDateTime" => {
                let (time, offset) = (self.local_date_time(), self.offset());
                format!("{time}.atOffset({offset})")
            }
            "java.time.ZonedDateTime" => {
                // JSON keeps the offset of another zone, and not its name.
                format!("{}.atZone({})", self.local_date_time(), self.offset())
            }
            "java.time.Year" => format!("{name}.of({})", long as i16),
            "java.time.YearMonth" => format!("{name}.of({}, {})", long as i16, 1 + bits % 12),
            "java.time.Period" => {
                let [years, months, days] = [long as i8, (long >> 8) as i8, (long >> 16) as i8];
                format!("{name}.of({years}, {months}, {days})")
            }
            "java.time.ZoneOffset" => self.offset(),
            "java.time.ZoneId" => self.zone(),
            "java.io.File" => format!("new {name}(\"/tmp/{}.x\")", bits % 100),
            "java.lang.Class" => self.pick(&CLASSES).to_owned(),
            "java.lang.StringBuilder" => format!("new {name}({})", self.text()),
            "java.net.InetSocketAddress" => {
                format!("{name}.createUnresolved(\"redis\", {})", bits as u16)
            }
            "java.net.URL" => format!("url(\"http://x/y?z={}\")", bits % 100),
            "java.nio.charset.Charset" => {
                let name = self.pick(&["UTF-8", "ISO-8859-1", "UTF-16LE"]);
                format!("java.nio.charset.Charset.forName(\"{name}\")")
            }
            "java.sql.Date" => format!("new {name}({}L)", (long >> 20).abs()),
            "java.sql.Timestamp" => format!(
                "timestamp({}L, {})",
                (long >> 20).abs(),
                bits % 1_000_000_000
            ),
            "java.util.Calendar" => {
                let zone = self.pick(&ZONES);
                format!("calendar({}L, \"{zone}\")", (long >> 20).abs())
            }
            "java.util.Locale" => {
                let tag = self.pick(&["und", "de", "de-AT", "zh-Hant-TW", "ja-JP-u-ca-japanese"]);
                format!("{name}.forLanguageTag(\"{tag}\")")
            }
            "java.util.OptionalDouble" | "java.util.OptionalInt" | "java.util.OptionalLong" => {
                let number = match name {
                    "java.util.OptionalDouble" => format!("{:?}", (long as i32) as f64 / 8.0),
                    "java.util.OptionalInt" => format!("{}", long as i32),
                    _ => format!("{}L", long / 2),
                };
                match self.chance(0.3) {
                    true => format!("{name}.empty()"),
                    false => format!("{name}.of({number})"),
                }
            }
            "java.util.TimeZone" => {
                let zone = self.pick(&ZONES);
                format!("{name}.getTimeZone(\"{zone}\")")
            }
            "java.util.regex.Pattern" => {
                let flags = self.pick(&["0", "2", "10"]);
                format!("{name}.compile(\"a.*[b-c]\", {flags})")
            }
            "java.lang.Throwable" | "java.lang.Exception" => {
                let own = self.indices(Class::is_throwable);
                match own.is_empty() || depth > DEEPEST || self.chance(0.3) {
                    true => format!("new IllegalStateException({})", self.text()),
                    false => {
                        let class = self.pick(&own);
                        format!("(Exception) {}", self.object(class, &[], depth + 1))
                    }
                }
            }
            "java.lang.Number" => {
                let number = self.pick(&NUMBERS);
                self.scalar_value(number, depth)
            }
            "java.lang.Comparable" | "java.io.Serializable" => {
                let name = self.pick(&SORTED);
                self.scalar_value(name, depth)
            }
            _ => self.any(depth),
        }
    }

    fn local_time(&mut self) -> String {
        let nanos: u64 = self.rng.random_range(0..86_400_000_000_000);
        // Java leaves out what is zero at the end.
        let unit = self.pick(&[
            1,
            1_000_000,
            1_000_000_000,
            60_000_000_000,
            3_600_000_000_000,
        ]);
        format!("java.time.LocalTime.ofNanoOfDay({}L)", nanos / unit * unit)
    }

    fn local_date_time(&mut self) -> String {
        let day = self.rng.random_range(0..40_000);
        format!(
            "java.time.LocalDate.ofEpochDay({day}L).atTime({})",
            self.local_time()
        )
    }

    fn offset(&mut self) -> String {
        let seconds = self.pick(&[0, 3_600, -3_600, 19_800, 64_800, -1, 3_661]);
        format!("java.time.ZoneOffset.ofTotalSeconds({seconds})")
    }

    fn zone(&mut self) -> String {
        format!("java.time.ZoneId.of(\"{}\")", self.pick(&ZONES))
    }

    pub(super) fn text(&mut self) -> String {
        if self.chance(0.02) {
            return "\"@class\"".to_owned();
        }
        let length = match self.rng.random_range(0..12) {
            0 => self.rng.random_range(30..70),
            _ => self.rng.random_range(0..9),
        };
        let is_ascii = self.chance(0.7);
        let mut text = "\"".to_owned();
        for _ in 0..length {
            let unit = match is_ascii {
                true => self.rng.random_range(0x20..0x7f),
                false => self.unit(),
            };
            match u8::try_from(unit).map(char::from) {
                Ok(it @ ('"' | '\\')) => text.extend(['\\', it]),
                Ok(it @ ' '..='~') => text.push(it),
                Ok(_) if unit < 0x20 => text.push_str(&format!("\\{unit:03o}")),
                _ => text.push_str(&format!("\\u{unit:04x}")),
            }
        }
        text + "\""
    }

    /// Not half a pair.
    fn unit(&mut self) -> u16 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..0x80),
            1 => self.rng.random_range(0x80..0x800),
            _ => self.rng.random_range(0x800..0xd800),
        }
    }
}
