//! The enums of the JDK.

use std::sync::LazyLock;

use crate::java::schema::Layouts;
use crate::java::{Class, Schema};

/// The enums of the JDK that values may hold. None has constants with bodies.
pub(crate) fn enums() -> &'static Layouts {
    static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| {
        let enums = ENUMS.iter();
        let schema: Schema = enums
            .map(|(name, constants)| Class::enumeration(*name, constants.iter().copied()))
            .collect();
        Layouts::new(&schema).unwrap_or_default()
    });
    &LAYOUTS
}

/// What `toString()` returns for a constant of such an enum, if that is another text than its name.
pub(crate) fn constant_shown(class: &str, name: &str) -> Option<String> {
    if !matches!(
        class,
        "java.time.temporal.ChronoField" | "java.time.temporal.ChronoUnit"
    ) {
        return None;
    }
    let words = name.split('_').map(|word| match word.split_at_checked(1) {
        _ if word == "AMPM" => "AmPm".to_owned(),
        Some((first, rest)) => first.to_owned() + &rest.to_lowercase(),
        None => String::new(),
    });
    Some(words.collect())
}

/// Each with its constants in their order, which JDK 17 and 25 share.
const ENUMS: [(&str, &[&str]); 37] = [
    (
        "java.lang.System$Logger$Level",
        &["ALL", "TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "OFF"],
    ),
    (
        "java.lang.Thread$State",
        &[
            "NEW",
            "RUNNABLE",
            "BLOCKED",
            "WAITING",
            "TIMED_WAITING",
            "TERMINATED",
        ],
    ),
    (
        "java.lang.annotation.ElementType",
        &[
            "TYPE",
            "FIELD",
            "METHOD",
            "PARAMETER",
            "CONSTRUCTOR",
            "LOCAL_VARIABLE",
            "ANNOTATION_TYPE",
            "PACKAGE",
            "TYPE_PARAMETER",
            "TYPE_USE",
            "MODULE",
            "RECORD_COMPONENT",
        ],
    ),
    (
        "java.lang.annotation.RetentionPolicy",
        &["SOURCE", "CLASS", "RUNTIME"],
    ),
    (
        "java.math.RoundingMode",
        &[
            "UP",
            "DOWN",
            "CEILING",
            "FLOOR",
            "HALF_UP",
            "HALF_DOWN",
            "HALF_EVEN",
            "UNNECESSARY",
        ],
    ),
    ("java.net.Proxy$Type", &["DIRECT", "HTTP", "SOCKS"]),
    (
        "java.net.StandardProtocolFamily",
        &["INET", "INET6", "UNIX"],
    ),
    ("java.nio.file.AccessMode", &["READ", "WRITE", "EXECUTE"]),
    (
        "java.nio.file.StandardCopyOption",
        &["REPLACE_EXISTING", "COPY_ATTRIBUTES", "ATOMIC_MOVE"],
    ),
    (
        "java.nio.file.StandardOpenOption",
        &[
            "READ",
            "WRITE",
            "APPEND",
            "TRUNCATE_EXISTING",
            "CREATE",
            "CREATE_NEW",
            "DELETE_ON_CLOSE",
            "SPARSE",
            "SYNC",
            "DSYNC",
        ],
    ),
    (
        "java.nio.file.attribute.AclEntryFlag",
        &[
            "FILE_INHERIT",
            "DIRECTORY_INHERIT",
            "NO_PROPAGATE_INHERIT",
            "INHERIT_ONLY",
        ],
    ),
    (
        "java.nio.file.attribute.AclEntryPermission",
        &[
            "READ_DATA",
            "WRITE_DATA",
            "APPEND_DATA",
            "READ_NAMED_ATTRS",
            "WRITE_NAMED_ATTRS",
            "EXECUTE",
            "DELETE_CHILD",
            "READ_ATTRIBUTES",
            "WRITE_ATTRIBUTES",
            "DELETE",
            "READ_ACL",
            "WRITE_ACL",
            "WRITE_OWNER",
            "SYNCHRONIZE",
        ],
    ),
    (
        "java.nio.file.attribute.AclEntryType",
        &["ALLOW", "DENY", "AUDIT", "ALARM"],
    ),
    (
        "java.nio.file.attribute.PosixFilePermission",
        &[
            "OWNER_READ",
            "OWNER_WRITE",
            "OWNER_EXECUTE",
            "GROUP_READ",
            "GROUP_WRITE",
            "GROUP_EXECUTE",
            "OTHERS_READ",
            "OTHERS_WRITE",
            "OTHERS_EXECUTE",
        ],
    ),
    (
        "java.security.CryptoPrimitive",
        &[
            "MESSAGE_DIGEST",
            "SECURE_RANDOM",
            "BLOCK_CIPHER",
            "STREAM_CIPHER",
            "MAC",
            "KEY_WRAP",
            "PUBLIC_KEY_ENCRYPTION",
            "SIGNATURE",
            "KEY_ENCAPSULATION",
            "KEY_AGREEMENT",
        ],
    ),
    (
        "java.security.cert.CRLReason",
        &[
            "UNSPECIFIED",
            "KEY_COMPROMISE",
            "CA_COMPROMISE",
            "AFFILIATION_CHANGED",
            "SUPERSEDED",
            "CESSATION_OF_OPERATION",
            "CERTIFICATE_HOLD",
            "UNUSED",
            "REMOVE_FROM_CRL",
            "PRIVILEGE_WITHDRAWN",
            "AA_COMPROMISE",
        ],
    ),
    (
        "java.sql.ClientInfoStatus",
        &[
            "REASON_UNKNOWN",
            "REASON_UNKNOWN_PROPERTY",
            "REASON_VALUE_INVALID",
            "REASON_VALUE_TRUNCATED",
        ],
    ),
    (
        "java.sql.JDBCType",
        &[
            "BIT",
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "FLOAT",
            "REAL",
            "DOUBLE",
            "NUMERIC",
            "DECIMAL",
            "CHAR",
            "VARCHAR",
            "LONGVARCHAR",
            "DATE",
            "TIME",
            "TIMESTAMP",
            "BINARY",
            "VARBINARY",
            "LONGVARBINARY",
            "NULL",
            "OTHER",
            "JAVA_OBJECT",
            "DISTINCT",
            "STRUCT",
            "ARRAY",
            "BLOB",
            "CLOB",
            "REF",
            "DATALINK",
            "BOOLEAN",
            "ROWID",
            "NCHAR",
            "NVARCHAR",
            "LONGNVARCHAR",
            "NCLOB",
            "SQLXML",
            "REF_CURSOR",
            "TIME_WITH_TIMEZONE",
            "TIMESTAMP_WITH_TIMEZONE",
        ],
    ),
    (
        "java.sql.RowIdLifetime",
        &[
            "ROWID_UNSUPPORTED",
            "ROWID_VALID_OTHER",
            "ROWID_VALID_SESSION",
            "ROWID_VALID_TRANSACTION",
            "ROWID_VALID_FOREVER",
        ],
    ),
    ("java.text.Normalizer$Form", &["NFD", "NFC", "NFKD", "NFKC"]),
    ("java.text.NumberFormat$Style", &["SHORT", "LONG"]),
    (
        "java.time.DayOfWeek",
        &[
            "MONDAY",
            "TUESDAY",
            "WEDNESDAY",
            "THURSDAY",
            "FRIDAY",
            "SATURDAY",
            "SUNDAY",
        ],
    ),
    (
        "java.time.Month",
        &[
            "JANUARY",
            "FEBRUARY",
            "MARCH",
            "APRIL",
            "MAY",
            "JUNE",
            "JULY",
            "AUGUST",
            "SEPTEMBER",
            "OCTOBER",
            "NOVEMBER",
            "DECEMBER",
        ],
    ),
    ("java.time.chrono.HijrahEra", &["AH"]),
    ("java.time.chrono.IsoEra", &["BCE", "CE"]),
    ("java.time.chrono.MinguoEra", &["BEFORE_ROC", "ROC"]),
    ("java.time.chrono.ThaiBuddhistEra", &["BEFORE_BE", "BE"]),
    (
        "java.time.format.FormatStyle",
        &["FULL", "LONG", "MEDIUM", "SHORT"],
    ),
    (
        "java.time.format.ResolverStyle",
        &["STRICT", "SMART", "LENIENT"],
    ),
    (
        "java.time.format.SignStyle",
        &["NORMAL", "ALWAYS", "NEVER", "NOT_NEGATIVE", "EXCEEDS_PAD"],
    ),
    (
        "java.time.format.TextStyle",
        &[
            "FULL",
            "FULL_STANDALONE",
            "SHORT",
            "SHORT_STANDALONE",
            "NARROW",
            "NARROW_STANDALONE",
        ],
    ),
    (
        "java.time.temporal.ChronoField",
        &[
            "NANO_OF_SECOND",
            "NANO_OF_DAY",
            "MICRO_OF_SECOND",
            "MICRO_OF_DAY",
            "MILLI_OF_SECOND",
            "MILLI_OF_DAY",
            "SECOND_OF_MINUTE",
            "SECOND_OF_DAY",
            "MINUTE_OF_HOUR",
            "MINUTE_OF_DAY",
            "HOUR_OF_AMPM",
            "CLOCK_HOUR_OF_AMPM",
            "HOUR_OF_DAY",
            "CLOCK_HOUR_OF_DAY",
            "AMPM_OF_DAY",
            "DAY_OF_WEEK",
            "ALIGNED_DAY_OF_WEEK_IN_MONTH",
            "ALIGNED_DAY_OF_WEEK_IN_YEAR",
            "DAY_OF_MONTH",
            "DAY_OF_YEAR",
            "EPOCH_DAY",
            "ALIGNED_WEEK_OF_MONTH",
            "ALIGNED_WEEK_OF_YEAR",
            "MONTH_OF_YEAR",
            "PROLEPTIC_MONTH",
            "YEAR_OF_ERA",
            "YEAR",
            "ERA",
            "INSTANT_SECONDS",
            "OFFSET_SECONDS",
        ],
    ),
    (
        "java.time.temporal.ChronoUnit",
        &[
            "NANOS",
            "MICROS",
            "MILLIS",
            "SECONDS",
            "MINUTES",
            "HOURS",
            "HALF_DAYS",
            "DAYS",
            "WEEKS",
            "MONTHS",
            "YEARS",
            "DECADES",
            "CENTURIES",
            "MILLENNIA",
            "ERAS",
            "FOREVER",
        ],
    ),
    ("java.util.Locale$Category", &["DISPLAY", "FORMAT"]),
    (
        "java.util.Locale$FilteringMode",
        &[
            "AUTOSELECT_FILTERING",
            "EXTENDED_FILTERING",
            "IGNORE_EXTENDED_RANGES",
            "MAP_EXTENDED_RANGES",
            "REJECT_EXTENDED_RANGES",
        ],
    ),
    (
        "java.util.concurrent.TimeUnit",
        &[
            "NANOSECONDS",
            "MICROSECONDS",
            "MILLISECONDS",
            "SECONDS",
            "MINUTES",
            "HOURS",
            "DAYS",
        ],
    ),
    (
        "java.util.stream.Collector$Characteristics",
        &["CONCURRENT", "UNORDERED", "IDENTITY_FINISH"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_enum_has_a_layout() {
        assert_eq!(enums().iter().count(), ENUMS.len());
    }

    #[test]
    fn some_constants_show_another_text_than_their_name() {
        let shown =
            |class: &str, name| constant_shown(&format!("java.time.temporal.{class}"), name);
        assert_eq!(shown("ChronoUnit", "HALF_DAYS").unwrap(), "HalfDays");
        assert_eq!(shown("ChronoField", "AMPM_OF_DAY").unwrap(), "AmPmOfDay");
        assert_eq!(constant_shown("java.time.Month", "MAY"), None);
    }
}
