#include "data/person.h"

#include "data/source.h"

/* Values in the order of UCI's adult.names, "?" last. */
static const char *const work[] = {"Private",     "Self-emp-not-inc", "Self-emp-inc",
                                   "Federal-gov", "Local-gov",        "State-gov",
                                   "Without-pay", "Never-worked",     "?"};
static const char *const education[] = {
    "Bachelors", "Some-college", "11th",    "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th",
    "7th-8th",   "12th",         "Masters", "1st-4th", "10th",        "Doctorate",  "5th-6th",   "Preschool"};
static const char *const marital[] = {"Married-civ-spouse", "Divorced", "Never-married",
                                      "Separated",          "Widowed",  "Married-spouse-absent",
                                      "Married-AF-spouse"};
static const char *const job[] = {
    "Tech-support",     "Craft-repair",      "Other-service",     "Sales",        "Exec-managerial",
    "Prof-specialty",   "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing",
    "Transport-moving", "Priv-house-serv",   "Protective-serv",   "Armed-Forces", "?"};
static const char *const relation[] = {"Wife",          "Own-child",      "Husband",
                                       "Not-in-family", "Other-relative", "Unmarried"};
static const char *const sex[] = {"Female", "Male"};
static const char *const country[] = {"United-States",
                                      "Cambodia",
                                      "England",
                                      "Puerto-Rico",
                                      "Canada",
                                      "Germany",
                                      "Outlying-US(Guam-USVI-etc)",
                                      "India",
                                      "Japan",
                                      "Greece",
                                      "South",
                                      "China",
                                      "Cuba",
                                      "Iran",
                                      "Honduras",
                                      "Philippines",
                                      "Italy",
                                      "Poland",
                                      "Jamaica",
                                      "Vietnam",
                                      "Mexico",
                                      "Portugal",
                                      "Ireland",
                                      "France",
                                      "Dominican-Republic",
                                      "Laos",
                                      "Ecuador",
                                      "Taiwan",
                                      "Haiti",
                                      "Columbia",
                                      "Hungary",
                                      "Guatemala",
                                      "Nicaragua",
                                      "Scotland",
                                      "Thailand",
                                      "Yugoslavia",
                                      "El-Salvador",
                                      "Trinadad&Tobago",
                                      "Peru",
                                      "Hong",
                                      "Holand-Netherlands",
                                      "?"};
static const char *const race[] = {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"};
static const char *const income[] = {"<=50K", ">50K"};

#define VALUES(column, list)                                                                                 \
    { column, (int)(sizeof(list) / sizeof *(list)), list }
const person_values person_kinds[PERSON_KINDS] = {
    VALUES("workclass", work),         VALUES("education", education),
    VALUES("marital-status", marital), VALUES("occupation", job),
    VALUES("relationship", relation),  VALUES("sex", sex),
    VALUES("native-country", country), VALUES("race", race),
};
const char *const person_number_names[PERSON_NUMBERS] = {"age",          "fnlwgt",       "education-num",
                                                         "capital-gain", "capital-loss", "hours-per-week"};

static const int64_t least[PERSON_NUMBERS] = {17, 12285, 1, 0, 0, 1};
static const int64_t most[PERSON_NUMBERS] = {90, 1484705, 16, 99999, 4356, 99};

/* Marks the features of that kind as those that state the attribute. */
static void state(gnt_data_attr *a, int kind, int codes) {
    a->stated = PERSON_NUMBERS;
    for (int k = 0; k < kind; k++)
        a->stated += codes ? 1 : person_kinds[k].n;
    a->n_stated = codes ? 1 : person_kinds[kind].n;
}

static void shape(gnt_data *d, int codes) {
    data_shape_table(d, codes ? PERSON_CODES : PERSON_FEATURES, 2);
    d->class_name = income;
    data_add_attr(d, "sex", 2, sex);
    data_add_attr(d, "race", 5, race);
    data_add_attr(d, "marital", 7, marital);
    state(&d->attr[0], PERSON_SEX, codes);
    state(&d->attr[2], PERSON_MARITAL, codes);
}

void person_shape(gnt_data *d) {
    shape(d, 0);
}

void person_shape_codes(gnt_data *d) {
    shape(d, 1);
}

void person_store(gnt_data *d, int64_t row, const person *p) {
    const int codes = d->features == PERSON_CODES;
    float *x = d->table + row * d->features;
    for (int i = 0; i < PERSON_NUMBERS; i++) {
        int64_t v = p->number[i] < least[i] ? least[i] : p->number[i] > most[i] ? most[i] : p->number[i];
        *x++ = (float)((double)(v - least[i]) / (double)(most[i] - least[i]));
    }
    for (int k = 0; k < PERSON_RACE; k++) {
        for (int v = 0; !codes && v < person_kinds[k].n; v++)
            x[v] = v == p->kind[k];
        if (codes)
            *x = (float)((double)p->kind[k] / (double)(person_kinds[k].n - 1));
        x += codes ? 1 : person_kinds[k].n;
    }
    d->label[row] = p->income;
    d->attrs[PERSON_ATTRS * row] = p->kind[PERSON_SEX];
    d->attrs[PERSON_ATTRS * row + 1] = p->kind[PERSON_RACE];
    d->attrs[PERSON_ATTRS * row + 2] = p->kind[PERSON_MARITAL];
}
