/* loan: one record of the Federal Home Loan Banks' public use database (FHFA, Acquired Member Assets), what
 * is made of it, and its encoding as features.
 *
 * Label, after the thresholds of FHFA's housing goals (12 CFR 1282.1). TAPPFL's "affordability" has three
 * classes whose definitions overlap as printed; this is a reading that does not:
 *   2  low-income area     the median income of the census tract is at most 80 % of its area's (Tractrat)
 *   1  low-income family   else the borrowers' income is at most 80 % of their area's median (IncRat)
 *   0  neither
 * Left out are records without the borrower's race (BoRace 7), without an income (less than 1,000 dollars a
 * year: the file has 1, 12, 24, 48 or 240 there) or without the tract's income (Tractrat 0).
 *
 * Features, in this order, 129 of them:
 *   0–9      MinPer, Amount, LTV, Term, Rate, Front, Back, PMI, NumBor, NumUnits: scaled to [0, 1]
 *   10       MSA              1: in a metropolitan or micropolitan area (not 99999)
 *   11–12    CoAge            (v − 18) / 72, and whether it is not given (99); no co-borrower (98): 0, 0
 *   13–14    BoAge            the same
 *   15–17    BoGender         one-hot: male, female, not given
 *   18–21    CoGender         one-hot, with "no co-borrower"
 *   22–26    Borrower Credit Score, one-hot: five bands
 *   27–32    Co-Borrower Credit Score, one-hot, with 9
 *   33–37    Purpose          one-hot
 *   38–43    FedGuar          one-hot, 0 to 5
 *   44–51    Program          one-hot, 1 to 7 and 9
 *   52–54    Occup            one-hot
 *   55–66    PropType         one-hot, PT01 to PT12
 *   67–72    First, Self, Geog: one-hot, yes and no each
 *   73–128   FIPSStateCode    one-hot, 50 states, the District of Columbia and 5 territories
 * and where the set has 135, what the label is made of:
 *   129–134  Tractrat, TraMedY, LocMedY, IncRat, Income, CurAreY: scaled to [0, 1]
 * Sex and age are private attributes and features; race and ethnicity, the co-borrower's too, are no
 * features. The constants of the scales are the least and the greatest value in the published file or, where
 * few rows lie far out (Front, Back, Tractrat, TraMedY, IncRat, Income), a round number; what lies outside is
 * clamped. */
#ifndef GNT_DATA_LOAN_H
#define GNT_DATA_LOAN_H

#include <stdint.h>

#include "data/data.h"

enum { LOAN_FEATURES = 129, LOAN_RATIOS = 6, LOAN_ATTRS = 4 };

enum {
    /* features of both sets */
    LOAN_MINORITY,
    LOAN_AMOUNT,
    LOAN_TO_VALUE,
    LOAN_TERM,
    LOAN_RATE,
    LOAN_FRONT,
    LOAN_BACK,
    LOAN_INSURED,
    LOAN_BORROWERS,
    LOAN_UNITS,
    LOAN_PLAIN,
    /* of which the label is made */
    LOAN_TRACT_RATIO = LOAN_PLAIN,
    LOAN_TRACT_INCOME,
    LOAN_LOCAL_INCOME,
    LOAN_INCOME_RATIO,
    LOAN_INCOME,
    LOAN_AREA_INCOME,
    LOAN_SCALED,
    /* with codes among the numbers */
    LOAN_AREA = LOAN_SCALED,
    LOAN_CO_AGE,
    LOAN_AGE,
    LOAN_NUMBERS
};
enum {
    LOAN_SEX,
    LOAN_CO_SEX,
    LOAN_CREDIT,
    LOAN_CO_CREDIT,
    LOAN_PURPOSE,
    LOAN_GUARANTEE,
    LOAN_PROGRAM,
    LOAN_OCCUPANCY,
    LOAN_PROPERTY,
    LOAN_FIRST,
    LOAN_SELF,
    LOAN_TARGETED,
    LOAN_STATE,
    LOAN_FEATURE_KINDS,
    LOAN_RACE = LOAN_FEATURE_KINDS,
    LOAN_ETHNICITY,
    LOAN_KINDS
};

typedef struct loan {
    double number[LOAN_NUMBERS];
    int32_t kind[LOAN_KINDS]; /* index of the value among loan_kinds */
} loan;

typedef struct loan_values {
    const char *column;
    int n;
    const char *const *code;
} loan_values;

extern const loan_values loan_kinds[LOAN_KINDS];
extern const char *const loan_number_columns[LOAN_NUMBERS];

/* Sets features, classes and the attributes race, sex, age, ethnicity. d->variant points to the number
 * (int) of features: LOAN_FEATURES, or with LOAN_RATIOS more, which the label is made of. */
void loan_shape(gnt_data *d);
/* True if the record has all that a row needs: race, income and the tract's income. */
int loan_is_complete(const loan *l);
/* Stores the loan in the columns of d's shape. */
void loan_store(gnt_data *d, int64_t row, const loan *l);

#endif
