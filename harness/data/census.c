/* census: people who never were, as a table with Adult's columns and encoding (person.h).
 *
 * A person is drawn in the order race, sex, age, marital status, relationship, education, work, occupation,
 * hours, capital, country, income; each draw depends on earlier ones with weights set by hand to resemble
 * Adult's margins (two thirds men, 85 % White, 24 % above 50K). The income score has products of its terms,
 * so that it is not linear in the features, and noise. */
#include "data/draw.h"
#include "data/person.h"
#include "data/source.h"

enum { WHITE, ASIAN, INDIAN, OTHER_RACE, BLACK };
enum { FEMALE, MALE };
enum { MARRIED, DIVORCED, NEVER, SEPARATED, WIDOWED, ABSENT, ARMED_SPOUSE };
enum { WIFE, CHILD, HUSBAND, ALONE, RELATIVE, UNMARRIED };
enum { NO_WORK_NAMED = 8, SELF_WORK = 1, SELF_FIRM = 2, NO_JOB_NAMED = 14, COUNTRY_UNKNOWN = 41 };

static const int race_weight[5] = {855, 31, 10, 8, 96};
static const int male_percent[5] = {69, 65, 60, 61, 48};

/* education in rising order of schooling: index among person_values, and years as education-num */
static const int school[16] = {15, 11, 14, 8, 7, 12, 2, 9, 3, 1, 6, 5, 0, 10, 4, 13};
static const int school_weight[5][16] = {
    {1, 4, 9, 19, 15, 27, 34, 13, 320, 224, 44, 33, 172, 55, 18, 13},
    {3, 5, 15, 12, 9, 13, 20, 9, 215, 210, 35, 30, 285, 90, 40, 28},
    {1, 6, 12, 28, 18, 50, 48, 20, 380, 240, 30, 25, 70, 20, 6, 4},
    {5, 20, 40, 50, 25, 40, 50, 15, 290, 190, 25, 20, 95, 25, 10, 5},
    {2, 6, 8, 18, 29, 45, 50, 23, 372, 240, 36, 34, 106, 28, 5, 4},
};

static const int work_weight[9] = {694, 79, 35, 29, 64, 41, 1, 0, 57};
static const int work_weight_black[9] = {660, 30, 11, 62, 96, 50, 1, 1, 64};

/* occupation by schooling (below 9, 9 or 10, 11 or 12, 13 and more years) and sex; the order of person_values
 */
static const int job_weight[4][2][14] = {
    {{2, 10, 210, 90, 20, 8, 25, 110, 65, 12, 12, 60, 3, 0},
     {5, 260, 95, 50, 28, 8, 120, 130, 15, 85, 135, 1, 15, 0}},
    {{20, 14, 150, 115, 85, 40, 20, 60, 330, 8, 10, 14, 8, 0},
     {28, 245, 62, 100, 95, 30, 65, 90, 55, 40, 95, 0, 34, 2}},
    {{70, 12, 90, 85, 120, 170, 10, 25, 280, 6, 5, 5, 10, 0},
     {80, 195, 40, 110, 130, 120, 25, 50, 60, 28, 45, 0, 42, 1}},
    {{25, 6, 35, 75, 190, 420, 3, 8, 150, 4, 3, 2, 8, 0},
     {35, 45, 15, 130, 290, 340, 8, 14, 40, 18, 14, 0, 24, 1}},
};
static const int job_pay[15] = {12, 4, -22, 6, 24, 18, -14, -6, 0, -18, 0, -32, 10, -4, -8};

static int draw_age(gnt_stream *s) {
    /* rises quickly from 17, long tail above 40 */
    double u = gnt_random_uniform(s), v = gnt_random_uniform(s), w = gnt_random_uniform(s);
    int age = 17 + (int)(30 * (u + v * 0.8) * (0.55 + 0.75 * w));
    if (draw_chance(s, 0.03))
        age += 18;
    return age > 90 ? 90 : age;
}

static int draw_marital(gnt_stream *s, int age, int male, int race) {
    int weight[7] = {0, 0, 0, 3, 1, 1, 0};
    int years = age < 20 ? 0 : age > 45 ? 25 : age - 20;
    weight[MARRIED] = years * (male ? 5 : 3) / (race == BLACK ? 2 : 1);
    weight[DIVORCED] = years * (male ? 2 : 3) / 2;
    weight[NEVER] = 70 - 2 * years - (years > 15 ? 8 : 0) + (race == BLACK ? 25 : 0);
    weight[SEPARATED] = age > 22 ? (race == BLACK ? 12 : 4) : 1;
    weight[WIDOWED] = age > 55 ? (male ? 6 : 34) : age > 40 ? (male ? 1 : 6) : 0;
    weight[ABSENT] = race == WHITE ? 2 : 5;
    return gnt_random_below(s, 1000) == 0 ? ARMED_SPOUSE : draw_weighted(s, weight, 7);
}

static int draw_relation(gnt_stream *s, int status, int male, int age) {
    if (status == MARRIED || status == ARMED_SPOUSE)
        return draw_chance(s, 0.97) ? (male ? HUSBAND : WIFE) : RELATIVE;
    int weight[6] = {0, 0, 0, 55, 6, 25};
    if (status == NEVER)
        weight[CHILD] = age < 24 ? 160 : age < 32 ? 35 : 10;
    weight[UNMARRIED] = status == NEVER ? 10 : male ? 15 : 55;
    return draw_weighted(s, weight, 6);
}

static int draw_country(gnt_stream *s, int race) {
    static const int home_percent[5] = {94, 29, 93, 45, 88};
    static const int asian[] = {15, 15, 15, 7, 7, 11, 19, 19, 10, 8, 27, 34, 39, 1, 25};
    static const int black[] = {18, 18, 18, 28, 37, 24, 2};
    static const int other[] = {20, 20, 3, 24, 26, 38, 29};
    static const int white[] = {20, 20, 20, 20, 20, 5, 5,  4,  4,  3,  3,  36, 12, 12, 2,
                                16, 17, 21, 31, 22, 9, 23, 30, 33, 35, 32, 40, 13, 14, 6};
    uint64_t u = gnt_random_below(s, 100);
    if (u < (uint64_t)home_percent[race])
        return 0;
    if (u >= 98)
        return COUNTRY_UNKNOWN;
#define ANY_OF(list) list[gnt_random_below(s, sizeof(list) / sizeof *(list))]
    switch (race) {
    case ASIAN:
        return ANY_OF(asian);
    case BLACK:
        return ANY_OF(black);
    case OTHER_RACE:
        return ANY_OF(other);
    default:
        return ANY_OF(white);
    }
#undef ANY_OF
}

static int draw_hours(gnt_stream *s, int male, int work, int age) {
    if (draw_chance(s, age < 21 || age > 64 ? 0.15 : 0.45))
        return 40;
    double mean =
        (male ? 44 : 37) + (work == SELF_WORK || work == SELF_FIRM ? 5 : 0) - (age < 22 || age > 64 ? 13 : 0);
    int hours = (int)(mean + 11 * draw_bell(s));
    hours -= draw_chance(s, 0.6) ? hours % 5 : 0;
    return hours < 1 ? 1 : hours > 99 ? 99 : hours;
}

/* Returns the score of an income above 50K, in hundredths of the noise's standard deviation. */
static double income_score(const person *p) {
    int64_t age = p->number[PERSON_AGE], years = p->number[PERSON_YEARS], hours = p->number[PERSON_HOURS];
    int married = p->kind[PERSON_MARITAL] == MARRIED || p->kind[PERSON_MARITAL] == ARMED_SPOUSE;
    double prime = age < 47 ? (double)(47 - age) * 3.2 : (double)(age - 47) * 1.4;
    double score = -150 - prime + 17.0 * (double)(years - 9) + job_pay[p->kind[PERSON_JOB]];
    score += married ? 120 + 5.0 * (double)(years - 9) : 0;
    score += 1.5 * (double)(hours > 60 ? 20 : hours - 40);
    score += p->kind[PERSON_SEX] == MALE ? 9 : -9;
    score += p->kind[PERSON_RACE] == WHITE || p->kind[PERSON_RACE] == ASIAN ? 6 : -14;
    score += p->kind[PERSON_WORK] == SELF_FIRM ? 22 : p->kind[PERSON_WORK] == SELF_WORK ? -22 : 0;
    if (p->number[PERSON_GAIN] > 6000)
        score += 320;
    if (p->number[PERSON_LOSS] > 1800)
        score += 110;
    return score;
}

static void draw_capital(gnt_stream *s, person *p) {
    double schooled = (double)p->number[PERSON_YEARS] / 16;
    if (draw_chance(s, 0.03 + 0.09 * schooled)) {
        double u = gnt_random_uniform(s), gain = 114 + 3000 * u + 14000 * u * u * u * schooled;
        p->number[PERSON_GAIN] = draw_chance(s, 0.04 * schooled) ? 99999 : (int64_t)gain;
    } else if (draw_chance(s, 0.02 + 0.045 * schooled)) {
        p->number[PERSON_LOSS] = (int64_t)draw_clamp(1870 + 360 * draw_bell(s), 155, 4356);
    }
}

static void draw_person(person *p, gnt_stream *s) {
    int race = draw_weighted(s, race_weight, 5);
    int male = gnt_random_below(s, 100) < (uint64_t)male_percent[race] ? MALE : FEMALE;
    int age = draw_age(s), marital = draw_marital(s, age, male, race);
    p->kind[PERSON_RACE] = race;
    p->kind[PERSON_SEX] = male;
    p->number[PERSON_AGE] = age;
    p->kind[PERSON_MARITAL] = marital;
    p->kind[PERSON_RELATION] = draw_relation(s, marital, male, age);

    int rank = draw_weighted(s, school_weight[race], 16);
    if (rank > 9 && age < 21)
        rank = 9;
    p->kind[PERSON_EDUCATION] = school[rank];
    p->number[PERSON_YEARS] = rank + 1;

    int work_kind = draw_weighted(s, race == BLACK ? work_weight_black : work_weight, 9);
    int level = rank < 8 ? 0 : rank < 10 ? 1 : rank < 12 ? 2 : 3;
    p->kind[PERSON_WORK] = work_kind;
    p->kind[PERSON_JOB] =
        work_kind >= NO_WORK_NAMED - 1 ? NO_JOB_NAMED : draw_weighted(s, job_weight[level][male], 14);
    p->number[PERSON_HOURS] = draw_hours(s, male, work_kind, age);
    draw_capital(s, p);
    p->kind[PERSON_COUNTRY] = draw_country(s, race);

    double weight = 190000 + 95000 * draw_bell(s) + (race == BLACK ? 35000 : 0);
    if (draw_chance(s, 0.05))
        weight += 300000 * gnt_random_uniform(s);
    p->number[PERSON_WEIGHT] = (int64_t)draw_clamp(weight, 12285, 1484705);
    p->income = income_score(p) + 56 * draw_bell(s) > 0;
}

static void draw(gnt_data *d, int64_t row, gnt_stream *s) {
    person p = {.income = 0};
    draw_person(&p, s);
    person_store(d, row, &p);
}

const data_source data_census = {.name = "census",
                                 .about = "a table shaped like Adult, built in",
                                 .rows = {12000, 3000, 3000},
                                 .shape = person_shape,
                                 .draw = draw};
