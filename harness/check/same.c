/* Values of the file compared with what they should be. Numbers in files are rounded to nine digits, so that
 * what is computed from them may differ in the last ones. */
#include <math.h>
#include <string.h>

#include "check/check_impl.h"

const double check_rounding = 2e-8;

int check_close(double a, double b, double slack) {
    return gnt_is_close(a, b, check_rounding, slack);
}

/* Sets the sentence of a difference; −1. */
static int differs(const check_says *says, const char *path, const char *is, const char *should) {
    return gnt_fail(says->of->err, "%s: %s is %s, but %s %s", says->of->file, path, is, says->because,
                    should);
}

static gnt_likeness likeness(const check_says *says) {
    return (gnt_likeness){check_rounding, says->slack, says->may_have_more};
}

int check_same(const check_says *says, const gnt_fields *fields, const char *path, const void *is,
               const void *should) {
    const gnt_likeness how = likeness(says);
    gnt_difference d;
    return gnt_fields_same(fields, path, is, should, &how, &d) == 0
               ? 0
               : differs(says, d.path.text, d.is.text, d.should.text);
}

int check_members(const check_says *says, const gnt_fields *fields, const char *path, const void *is,
                  const void *should, const size_t *member, size_t n) {
    const gnt_likeness how = likeness(says);
    gnt_difference d;
    return gnt_fields_same_members(fields, path, is, should, member, n, &how, &d) == 0
               ? 0
               : differs(says, d.path.text, d.is.text, d.should.text);
}

int check_number(const check_says *says, const char *path, double is, double should) {
    const gnt_named_real a = {"", is}, b = {"", should};
    return check_same(says, &gnt_named_real_fields, path, &a, &b);
}

/* Returns how far the ends of an interval move when the standard error moves by one: Student's t, 12.7 for
 * two values. */
static double reach_of(const gnt_stat *s) {
    const double error = s->deviation / sqrt((double)s->n);
    const double reach = (s->high - s->low) / (2 * error);
    return reach > 1 ? fmin(reach, 13) : 1; /* NAN: 1 */
}

/* Returns the magnitude of the largest score behind a statistic, times the reach of its interval: rounding of
 * scores moves the interval by no more than the same share of this. */
static double size_of(const gnt_stat *s) {
    return (fabs(s->mean) + s->deviation * sqrt((double)s->n)) * reach_of(s);
}

static const gnt_stat *stat_of(const gnt_named_stats *list, const char *measure) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].measure, measure) == 0)
            return &list->at[i].stat;
    return NULL;
}

static int is_empty(const gnt_stat *s) {
    return isnan(s->mean) && isnan(s->low) && isnan(s->high) && isnan(s->worst) && s->n == 0;
}

int check_stats(const check_says *says, const char *path, const gnt_named_stats *is,
                const gnt_named_stats *should) {
    for (size_t i = 0; i < should->n; i++) {
        const gnt_named_stat *b = &should->at[i];
        const gnt_stat *a = stat_of(is, b->measure);
        const gnt_path at = gnt_path_key(path, b->measure);
        check_says one = *says;
        const double size = size_of(&b->stat);
        one.slack = isfinite(size) ? check_rounding * size : 0;
        if (!a)
            return differs(says, at.text, "nothing", "an object");
        if (check_same(&one, &gnt_stat_fields, at.text, a, &b->stat) != 0)
            return -1;
    }
    for (size_t i = 0; i < is->n; i++)
        if (!is_empty(&is->at[i].stat) && !stat_of(should, is->at[i].measure))
            return differs(says, gnt_path_key(path, is->at[i].measure).text, "an object", "nothing");
    return 0;
}
