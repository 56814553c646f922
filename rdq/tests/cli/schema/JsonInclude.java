package com.fasterxml.jackson.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** As in Jackson, which the test does without. */
@Retention(RetentionPolicy.RUNTIME)
public @interface JsonInclude {
    Include value() default Include.ALWAYS;

    enum Include { ALWAYS, NON_NULL, NON_EMPTY, NON_DEFAULT }
}
