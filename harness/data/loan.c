#include "data/loan.h"

#include "data/source.h"

/* Codes as the file has them, in the order of its column definitions. */
static const char *const two[] = {"1", "2"};
static const char *const three[] = {"1", "2", "3"};
static const char *const four[] = {"1", "2", "3", "4"};
static const char *const five[] = {"1", "2", "3", "4", "5"};
static const char *const co_credit[] = {"1", "2", "3", "4", "5", "9"};
static const char *const guarantee[] = {"0", "1", "2", "3", "4", "5"};
static const char *const program[] = {"1", "2", "3", "4", "5", "6", "7", "9"};
static const char *const property[] = {"PT01", "PT02", "PT03", "PT04", "PT05", "PT06",
                                       "PT07", "PT08", "PT09", "PT10", "PT11", "PT12"};
static const char *const state[] = {"01", "02", "04", "05", "06", "08", "09", "10", "11", "12", "13", "15",
                                    "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27",
                                    "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
                                    "40", "41", "42", "44", "45", "46", "47", "48", "49", "50", "51", "53",
                                    "54", "55", "56", "60", "66", "69", "72", "78"};
static const char *const race_codes[] = {"1", "2", "3", "4", "5", "7"};
enum { RACE_WHITE = 4, RACE_NOT_GIVEN = 5 };

#define VALUES(column, list)                                                                                 \
    { column, (int)(sizeof(list) / sizeof *(list)), list }
const loan_values loan_kinds[LOAN_KINDS] = {
    VALUES("BoGender", three),
    VALUES("CoGender", four),
    VALUES("Borrower Credit Score", five),
    VALUES("Co-Borrower Credit Score", co_credit),
    VALUES("Purpose", five),
    VALUES("FedGuar", guarantee),
    VALUES("Program", program),
    VALUES("Occup", three),
    VALUES("PropType", property),
    VALUES("First", two),
    VALUES("Self", two),
    VALUES("Geog", two),
    VALUES("FIPSStateCode", state),
    VALUES("BoRace", race_codes),
    VALUES("BoEth", three),
};
const char *const loan_number_columns[LOAN_NUMBERS] = {
    "MinPer",   "Amount",  "LTV",     "Term",   "Rate",   "Front",   "Back", "PMI",   "NumBor", "NumUnits",
    "Tractrat", "TraMedY", "LocMedY", "IncRat", "Income", "CurAreY", "MSA",  "CoAge", "BoAge"};

static const double least[LOAN_SCALED] = {
    [LOAN_AMOUNT] = 10000,     [LOAN_TERM] = 60, [LOAN_RATE] = 0.035,
    [LOAN_BORROWERS] = 1,      [LOAN_UNITS] = 1, [LOAN_LOCAL_INCOME] = 26490,
    [LOAN_AREA_INCOME] = 36700};
static const double most[LOAN_SCALED] = {[LOAN_MINORITY] = 100,
                                         [LOAN_AMOUNT] = 751000,
                                         [LOAN_TO_VALUE] = 1.44,
                                         [LOAN_TERM] = 360,
                                         [LOAN_RATE] = 0.0613,
                                         [LOAN_FRONT] = 1,
                                         [LOAN_BACK] = 1,
                                         [LOAN_INSURED] = 0.54,
                                         [LOAN_BORROWERS] = 4,
                                         [LOAN_UNITS] = 4,
                                         [LOAN_TRACT_RATIO] = 2,
                                         [LOAN_TRACT_INCOME] = 120000,
                                         [LOAN_LOCAL_INCOME] = 80198,
                                         [LOAN_INCOME_RATIO] = 4,
                                         [LOAN_INCOME] = 250000,
                                         [LOAN_AREA_INCOME] = 109600};

/* Codes among the numbers. */
enum { NO_AREA = 99999, NO_CO_BORROWER = 98, AGE_NOT_GIVEN = 99, LEAST_AGE = 18, MOST_AGE = 90 };
/* Thresholds of 12 CFR 1282.1, and the least income that is one. */
static const double low_income = 0.8, least_income = 1000;

enum { NEITHER, LOW_FAMILY, LOW_AREA };
static const char *const affordability[] = {"neither", "low-income family", "low-income area"};
static const char *const race[] = {"White", "not White"};
static const char *const sex[] = {"male", "female", "not given"};
static const char *const age[] = {"under 35", "35-44", "45-54", "55-64", "65 and over", "not given"};
static const char *const ethnicity[] = {"Hispanic or Latino", "not Hispanic or Latino", "not given"};
enum { AGE_BANDS = 5 };

void loan_shape(gnt_data *d) {
    data_shape_table(d, *(const int *)d->variant, 3);
    d->class_name = affordability;
    data_add_attr(d, "race", 2, race);
    data_add_attr(d, "sex", 3, sex);
    data_add_attr(d, "age", AGE_BANDS + 1, age);
    data_add_attr(d, "ethnicity", 3, ethnicity);
    d->attr[2].stated = LOAN_PLAIN + 3; /* after the area and the co-borrower's age */
    d->attr[2].n_stated = 2;
    d->attr[1].stated = d->attr[2].stated + d->attr[2].n_stated;
    d->attr[1].n_stated = loan_kinds[LOAN_SEX].n;
}

int loan_is_complete(const loan *l) {
    return l->kind[LOAN_RACE] != RACE_NOT_GIVEN && l->number[LOAN_INCOME] >= least_income &&
           l->number[LOAN_TRACT_RATIO] > 0;
}

static int32_t label_of(const loan *l) {
    if (l->number[LOAN_TRACT_RATIO] <= low_income)
        return LOW_AREA;
    return l->number[LOAN_INCOME_RATIO] <= low_income ? LOW_FAMILY : NEITHER;
}

static int32_t age_band(double years) {
    static const double from[AGE_BANDS] = {0, 35, 45, 55, 65};
    int32_t band = AGE_BANDS;
    if ((int)years == AGE_NOT_GIVEN)
        return band;
    while (years < from[band - 1])
        band--;
    return band - 1;
}

static float scaled(double v, double from, double to) {
    return (float)(v <= from ? 0 : v >= to ? 1 : (v - from) / (to - from));
}

/* Writes two features: the age, and whether it is missing. */
static float *put_age(float *x, double years) {
    const int known = years < NO_CO_BORROWER;
    *x++ = known ? scaled(years, LEAST_AGE, MOST_AGE) : 0;
    *x++ = (int)years == AGE_NOT_GIVEN;
    return x;
}

void loan_store(gnt_data *d, int64_t row, const loan *l) {
    float *x = d->table + row * d->features;
    for (int i = 0; i < LOAN_PLAIN; i++)
        *x++ = scaled(l->number[i], least[i], most[i]);
    *x++ = (int)l->number[LOAN_AREA] != NO_AREA;
    x = put_age(x, l->number[LOAN_CO_AGE]);
    x = put_age(x, l->number[LOAN_AGE]);
    for (int k = 0; k < LOAN_FEATURE_KINDS; k++) {
        for (int v = 0; v < loan_kinds[k].n; v++)
            x[v] = v == l->kind[k];
        x += loan_kinds[k].n;
    }
    for (int i = LOAN_PLAIN; d->features > LOAN_FEATURES && i < LOAN_SCALED; i++)
        *x++ = scaled(l->number[i], least[i], most[i]);
    d->label[row] = label_of(l);
    d->attrs[LOAN_ATTRS * row] = l->kind[LOAN_RACE] != RACE_WHITE;
    d->attrs[LOAN_ATTRS * row + 1] = l->kind[LOAN_SEX];
    d->attrs[LOAN_ATTRS * row + 2] = age_band(l->number[LOAN_AGE]);
    d->attrs[LOAN_ATTRS * row + 3] = l->kind[LOAN_ETHNICITY];
}
