#include "tally/same_impl.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

const double gnt_tally_rounding = 2e-8;

enum { MOST_DEPTH = 24 };

int gnt_tally_close(double a, double b, double slack) {
    return fabs(a - b) <= slack + gnt_tally_rounding * fmax(fabs(a), fabs(b));
}

static gnt_shown shown(const json_t *value) {
    gnt_shown none = {"nothing"};
    return value ? gnt_show(value) : none;
}

int gnt_tally_differs(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should) {
    return gnt_fail(says->err, "%s: %s is %s, but %s %s", says->file, path, shown(is).text, says->because,
                    shown(should).text);
}

static int is_nothing(const json_t *value) {
    return !value || json_is_null(value);
}

static int same_value(const json_t *is, const json_t *should, double slack) {
    if (is_nothing(is) || is_nothing(should))
        return is_nothing(is) && is_nothing(should);
    if (json_is_number(is) && json_is_number(should))
        return gnt_tally_close(json_number_value(is), json_number_value(should), slack);
    return json_equal(is, should);
}

static int same(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should,
                double slack, int closed, int depth);

static int same_object(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should,
                       double slack, int closed, int depth) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)should, name, value) {
        if (same(says, gnt_path_key(path, name).text, json_object_get(is, name), value, slack, closed,
                 depth + 1))
            return -1;
    }
    json_object_foreach((json_t *)(uintptr_t)is, name, value) {
        if (closed && !is_nothing(value) && !json_object_get(should, name))
            return gnt_tally_differs(says, gnt_path_key(path, name).text, value, NULL);
    }
    return 0;
}

static int same(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should,
                double slack, int closed, int depth) {
    if (depth < MOST_DEPTH && json_is_object(is) && json_is_object(should))
        return same_object(says, path, is, should, slack, closed, depth);
    if (depth < MOST_DEPTH && json_is_array(is) && json_is_array(should) &&
        json_array_size(is) == json_array_size(should)) {
        for (size_t i = 0; i < json_array_size(is); i++)
            if (same(says, gnt_path_item(path, i).text, json_array_get(is, i), json_array_get(should, i),
                     slack, closed, depth + 1))
                return -1;
        return 0;
    }
    return same_value(is, should, slack) ? 0 : gnt_tally_differs(says, path, is, should);
}

int gnt_tally_same(const gnt_tally_says *says, const char *path, const json_t *is, const json_t *should,
                   double slack, int closed) {
    return same(says, path, is, should, slack, closed, 0);
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* How far the ends of an interval move where the mean's error moves by one: Student's t, 12.7 for two. */
static double reach_of(const json_t *stat) {
    const double error = number(stat, "deviation") / sqrt(number(stat, "n"));
    const double reach = (number(stat, "high") - number(stat, "low")) / (2 * error);
    return reach > 1 ? fmin(reach, 13) : 1; /* NAN: 1 */
}

/* Of the order of the largest score behind a statistic, times the reach of its interval: rounding of scores
 * moves it by no more than its share of this. */
static double size_of(const json_t *stat) {
    return (fabs(number(stat, "mean")) + number(stat, "deviation") * sqrt(number(stat, "n"))) *
           reach_of(stat);
}

int gnt_tally_same_measures(const gnt_tally_says *says, const char *path, const json_t *is_there,
                            const json_t *should) {
    const char *name;
    json_t *stat;
    json_object_foreach((json_t *)(uintptr_t)should, name, stat) {
        const double size = size_of(stat);
        if (gnt_tally_same(says, gnt_path_key(path, name).text, json_object_get(is_there, name), stat,
                           isfinite(size) ? gnt_tally_rounding * size : 0, 1) != 0)
            return -1;
    }
    json_object_foreach((json_t *)(uintptr_t)is_there, name, stat) {
        if (!json_is_null(stat) && !json_object_get(should, name))
            return gnt_tally_differs(says, gnt_path_key(path, name).text, stat, NULL);
    }
    return 0;
}
