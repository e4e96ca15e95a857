#include "judge/measure_text.h"

#include <math.h>
#include <string.h>

void gnt_measure_number(const gnt_measure *m, double value, gnt_text *out) {
    double v = value * m->scale;
    if (!isfinite(value))
        gnt_text_add(out, "–");
    else if (m->scale == 1 && !m->unit[0] && v != 0 && fabs(v) < pow(10, -m->decimals))
        gnt_text_add(out, "%.1e", v); /* a small MSE is not "0.0000" */
    else
        gnt_text_add(out, "%.*f", m->decimals, fabs(v) < 0.5 * pow(10, -m->decimals) ? 0.0 : v);
}

int gnt_has_interval(const gnt_stat *s) {
    return isfinite(s->low) && isfinite(s->high) && s->low != s->high;
}

void gnt_measure_write(const gnt_measure *m, const gnt_stat *s, gnt_text *out) {
    gnt_measure_number(m, s->mean, out);
    gnt_text_add(out, "%s", isfinite(s->mean) ? m->unit : "");
    if (!gnt_has_interval(s))
        return;
    gnt_text_add(out, " [");
    gnt_measure_number(m, s->low, out);
    gnt_text_add(out, ", ");
    gnt_measure_number(m, s->high, out);
    gnt_text_add(out, "]");
}

const gnt_score *gnt_identified(const gnt_outcome *g, const gnt_measure *m) {
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR);
    const int leads = m == psnr || (m == gnt_measure_of(GNT_MEASURE_MSE) && !gnt_score_find(g, psnr->name));
    const gnt_score *s = leads && g->status == GNT_CELL_OK
                             ? gnt_score_find(g, gnt_measure_of(GNT_MEASURE_IDENTIFICATION)->name)
                             : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}

const gnt_measure *gnt_next_measure(const gnt_measure *m) {
    const gnt_measure *rate = gnt_measure_of(GNT_MEASURE_IDENTIFICATION);
    return m == rate ? gnt_measure_of(GNT_MEASURE_PSNR) : rate;
}

const gnt_score *gnt_next_to(const gnt_outcome *g, const gnt_measure *m) {
    if (m != gnt_measure_of(GNT_MEASURE_IDENTIFICATION))
        return gnt_identified(g, m);
    const gnt_score *s = g->status == GNT_CELL_OK ? gnt_score_find(g, gnt_next_measure(m)->name) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}

const char *gnt_next_title(const gnt_measure *m) {
    const gnt_measure *next = gnt_next_measure(m);
    return next == gnt_measure_of(GNT_MEASURE_IDENTIFICATION) ? "identified" : next->title;
}

void gnt_next_to_write(const gnt_outcome *g, const gnt_measure *m, gnt_text *out) {
    const gnt_score *s = gnt_next_to(g, m);
    if (!s)
        return;
    gnt_text_add(out, "; %s ", gnt_next_title(m));
    gnt_measure_write(gnt_next_measure(m), &s->stat, out);
}

gnt_utility gnt_utility_number(const gnt_utility *u, const char *name) {
    if (strcmp(name, u->measure) == 0)
        return *u;
    gnt_utility found = {.measure = name, .value = NAN, .low = NAN, .high = NAN, .none = NAN, .error = NAN};
    for (size_t i = 0; i < u->others.n; i++) {
        const gnt_other_utility *one = &u->others.at[i];
        if (strcmp(one->name, name) != 0)
            continue;
        found.value = one->value;
        found.low = one->low;
        found.high = one->high;
        found.error = one->error;
    }
    return found;
}

int gnt_utility_sign(const char *measure) {
    return strstr(measure, "loss") ? -1 : 1;
}

double gnt_utility_scale(const char *measure) {
    return strstr(measure, "accuracy") ? 100 : 1;
}

void gnt_utility_write(const char *measure, double value, gnt_text *out) {
    if (!isfinite(value))
        gnt_text_add(out, "–");
    else if (gnt_utility_scale(measure) == 100)
        gnt_text_add(out, "%.1f %%", value * 100);
    else
        gnt_text_add(out, "%.4g", value);
}
