/* person: one record of the Adult table and its encoding as features. The real table and the built-in
 * `census` share both, so that every model and attack for one fits the other.
 *
 * Features, 103 of them, in this order:
 *   0       age              (age − 17) / 73
 *   1       fnlwgt           (fnlwgt − 12285) / 1472420
 *   2       education-num    (education-num − 1) / 15
 *   3       capital-gain     gain / 99999
 *   4       capital-loss     loss / 4356
 *   5       hours-per-week   (hours − 1) / 98
 *   6–14    workclass        one-hot, 9 values with "?"
 *   15–30   education        one-hot, 16
 *   31–37   marital-status   one-hot, 7
 *   38–52   occupation       one-hot, 15 with "?"
 *   53–58   relationship     one-hot, 6
 *   59–60   sex              one-hot, 2
 *   61–102  native-country   one-hot, 42 with "?"
 * Race is a private attribute and no feature; sex and marital status are both. The constants are the least
 * and the greatest value in adult.data; what lies outside them (rows of adult.test may) is clamped to [0, 1].
 */
#ifndef GNT_DATA_PERSON_H
#define GNT_DATA_PERSON_H

#include <stdint.h>

#include "data/data.h"

/* In `adult_codes` 13 features: the six numbers, then of each of these columns the number of its value over
 * that of the last, 0 to 1. */
enum { PERSON_FEATURES = 103, PERSON_CODES = 13, PERSON_ATTRS = 3 };

enum { PERSON_AGE, PERSON_WEIGHT, PERSON_YEARS, PERSON_GAIN, PERSON_LOSS, PERSON_HOURS, PERSON_NUMBERS };
enum {
    PERSON_WORK,
    PERSON_EDUCATION,
    PERSON_MARITAL,
    PERSON_JOB,
    PERSON_RELATION,
    PERSON_SEX,
    PERSON_COUNTRY,
    PERSON_RACE,
    PERSON_KINDS
};

typedef struct person {
    int64_t number[PERSON_NUMBERS];
    int32_t kind[PERSON_KINDS]; /* index of the value among person_values */
    int32_t income;             /* 1: more than 50K a year */
} person;

typedef struct person_values {
    const char *column;
    int n;
    const char *const *name;
} person_values;

extern const person_values person_kinds[PERSON_KINDS];
extern const char *const person_number_names[PERSON_NUMBERS];

void person_shape(gnt_data *d); /* features, classes and attributes sex, race, marital */
void person_shape_codes(gnt_data *d);
void person_store(gnt_data *d, int64_t row, const person *p); /* in the form of d's shape */

#endif
