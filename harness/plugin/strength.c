/* THE strength among a plugin's parameters: its row and its value. */
#include <math.h>

#include "plugin/info_impl.h"
#include "plugin/params.h"

int32_t gnt_strength_row(const gnt_parameter *table, int32_t n) {
    int32_t found = -1;
    for (int32_t i = 0; i < n; i++)
        if (table[i].strength)
            found = found == -1 ? i : -2;
    return found;
}

int32_t gnt_params_strength(const gnt_parameter *table, int32_t n) {
    int32_t row = gnt_strength_row(table, n);
    return row < 0 ? -1 : row;
}

int gnt_params_set_strength(gnt_params *p, const gnt_parameter *table, int32_t n, double strength,
                            const char *where, gnt_err *err) {
    int32_t row = gnt_params_strength(table, n);
    if (row < 0 || row >= p->n)
        return gnt_fail(err, "%s: this plugin has no strength, so none can be set", where);
    const gnt_parameter *t = &table[row];
    double value = t->type == GNT_TYPE_INT ? nearbyint(strength) : strength;
    char least[GNT_NUMBER_SIZE], most[GNT_NUMBER_SIZE];
    if (!(value >= t->least && value <= t->most))
        return gnt_fail(err, "%s: the strength %s is %g; expected %s from %s to %s", where, t->id, strength,
                        t->type == GNT_TYPE_INT ? "an integer" : "a number", gnt_number_text(t->least, least),
                        gnt_number_text(t->most, most));
    if (t->type == GNT_TYPE_INT)
        p->value[row].i = (int64_t)value;
    p->value[row].r = value == 0 ? 0 : value; /* −0 and 0 are one value */
    return 0;
}

double gnt_params_get_strength(const gnt_params *p, const gnt_parameter *table, int32_t n) {
    int32_t row = gnt_params_strength(table, n);
    return row < 0 || row >= p->n ? NAN : p->value[row].r;
}
