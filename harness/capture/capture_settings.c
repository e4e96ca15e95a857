/* Settings of a capture that contradict each other. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "capture/capture.h"
#include "data/data.h"
#include "gauntlet/plugin.h"

enum { MOST_SIDE = 100000, MOST_FEATURES = 100000000, MOST_TEXT = 200, MOST_ABOUT = 10000 };

static int check_text(const char *text, size_t least, size_t most, const char *where, const char *key,
                      gnt_err *err) {
    return gnt_text_ok(text, least, most)
               ? 0
               : gnt_fail(err, "%s: %s: is %s; expected a line of %zu to %zu bytes", where, key,
                          gnt_show_text(text).text, least, most);
}

/* ---- the model ---- */

static int check_sample(const gnt_capture_model *m, const char *where, gnt_err *err) {
    int64_t features = 1;
    if (m->sample.n != 1 && m->sample.n != 3)
        return gnt_fail(err,
                        "%s: model.sample: has %zu sides; expected [features] or [channels, height, width]",
                        where, m->sample.n);
    for (size_t i = 0; i < m->sample.n; i++) {
        const int64_t side = m->sample.at[i], most = m->sample.n == 1 ? MOST_FEATURES : MOST_SIDE;
        if (side > most || side > MOST_FEATURES / features)
            return gnt_fail(
                err, "%s: model.sample: side %zu is %" PRId64 "; expected a sample of at most %d values",
                where, i, side, MOST_FEATURES);
        features *= side;
    }
    return 0;
}

static int check_kind(const gnt_capture_settings *s, const char *where, gnt_err *err) {
    const int is_table = s->data_kind == GNT_KIND_TABULAR;
    if (is_table == (s->model.sample.n == 1))
        return 0;
    return gnt_fail(err, "%s: data_kind: is %s, but a sample has %zu side%s (model.sample); expected %s",
                    where, is_table ? "tabular" : "image or audio", s->model.sample.n,
                    s->model.sample.n == 1 ? "" : "s", is_table ? "image or audio" : "tabular");
}

static int check_normalisation(const gnt_capture_model *m, const char *where, gnt_err *err) {
    const size_t channels = (size_t)m->sample.at[0];
    if (!m->mean.at != !m->deviation.at)
        return gnt_fail(err, "%s: model: has %s alone; expected mean and deviation, or neither", where,
                        m->mean.at ? "a mean" : "a deviation");
    if (!m->mean.at)
        return 0;
    if (m->mean.n != channels || m->deviation.n != channels)
        return gnt_fail(
            err,
            "%s: model: has %zu means and %zu deviations; expected one of each for the %zu %s of a "
            "sample",
            where, m->mean.n, m->deviation.n, channels, m->sample.n == 3 ? "channels" : "features");
    for (size_t i = 0; i < channels; i++)
        if (!(m->deviation.at[i] > 0))
            return gnt_fail(err, "%s: model.deviation[%zu]: is %g; expected a number above 0", where, i,
                            m->deviation.at[i]);
    return 0;
}

/* ---- training ---- */

static int check_gradient(const gnt_capture_training *t, const char *where, gnt_err *err) {
    if (t->batch >= 0 && t->batch != t->samples)
        return gnt_fail(err,
                        "%s: training.batch: is %" PRId64 " where one gradient of %" PRId64
                        " samples was computed (local_steps is 0); expected %" PRId64
                        ", or local_steps of 1 or more",
                        where, t->batch, t->samples, t->samples);
    if (t->momentum != 0 || t->decay != 0)
        return gnt_fail(err,
                        "%s: training.%s: is %g, but local_steps is 0: the update is one gradient, which has "
                        "none; expected 0, or local_steps of 1 or more",
                        where, t->momentum != 0 ? "momentum" : "decay",
                        t->momentum != 0 ? t->momentum : t->decay);
    return 0;
}

static int check_steps(const gnt_capture_training *t, const char *where, gnt_err *err) {
    if (t->batch < 0)
        return gnt_fail(err,
                        "%s: training.batch: is missing; expected the samples of each of the %" PRId64
                        " local steps",
                        where, t->local_steps);
    if (!(t->rate > 0))
        return gnt_fail(
            err, "%s: training.rate: %s; expected the learning rate of the local steps, a number above 0",
            where, isnan(t->rate) ? "is missing" : "is 0");
    if (t->optimizer == GNT_CAPTURE_ADAM && t->momentum != 0)
        return gnt_fail(
            err, "%s: training.momentum: is %g, which is for the optimizer sgd, but it is adam; expected 0",
            where, t->momentum);
    if (!(t->momentum < 1))
        return gnt_fail(err, "%s: training.momentum: is 1; expected a number from 0 to below 1", where);
    if (t->local_steps * t->batch < t->samples)
        return gnt_fail(err,
                        "%s: training.samples: is %" PRId64 ", but %" PRId64 " local steps of %" PRId64
                        " samples use %" PRId64
                        " at most; expected the samples that the update was computed with",
                        where, t->samples, t->local_steps, t->batch, t->local_steps * t->batch);
    return 0;
}

static int check_training(const gnt_capture_training *t, const char *where, gnt_err *err) {
    return t->local_steps == 0 ? check_gradient(t, where, err) : check_steps(t, where, err);
}

static int check_federation(const gnt_capture_federation *f, const char *where, gnt_err *err) {
    const struct {
        const char *name;
        int64_t is;
        const char *bound;
        int64_t below;
    } pairs[] = {{"round", f->round, "rounds", f->rounds},
                 {"client", f->client, "clients", f->clients},
                 {"per_round", f->per_round - 1, "clients", f->clients}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].is >= 0 && pairs[i].below >= 0 && pairs[i].is >= pairs[i].below)
            return gnt_fail(err, "%s: federation.%s: is %" PRId64 " where %s is %" PRId64 "; expected %s",
                            where, pairs[i].name, pairs[i].is + (i == 2), pairs[i].bound, pairs[i].below,
                            i == 2 ? "at most as many" : "a number from 0 to below that");
    return 0;
}

/* ---- attributes and goals ---- */

static int has_attribute(const gnt_capture_settings *s, const char *name, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->attributes.at[i].name, name) == 0)
            return 1;
    return 0;
}

static int check_attributes(const gnt_capture_settings *s, const char *where, gnt_err *err) {
    if (s->attributes.n > GNT_DATA_ATTRS)
        return gnt_fail(err, "%s: attributes: are %zu; expected at most %d", where, s->attributes.n,
                        GNT_DATA_ATTRS);
    for (size_t i = 0; i < s->attributes.n; i++) {
        const char *name = s->attributes.at[i].name;
        if (check_text(name, 1, GNT_DATA_NAME - 1, where, "attributes: a name", err) != 0)
            return -1;
        if (has_attribute(s, name, i))
            return gnt_fail(err, "%s: attributes: two are called \"%s\"; expected different names", where,
                            name);
    }
    if (*s->attribute && !has_attribute(s, s->attribute, s->attributes.n))
        return gnt_fail(err,
                        "%s: attribute: is %s, which is not among the %zu of \"attributes\"; list it there",
                        where, gnt_show_text(s->attribute).text, s->attributes.n);
    if ((s->goals & GNT_GOAL_ATTRIBUTE) && !*s->attribute)
        return gnt_fail(
            err,
            "%s: goals: name attribute, but \"attribute\" does not say which; name one of \"attributes\"",
            where);
    return 0;
}

/* ---- the defense ---- */

static int is_object(const char *text) {
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    const int yes = json_is_object(value);
    json_decref(value);
    return yes;
}

static int check_member(const gnt_capture_member *m, size_t i, const char *where, gnt_err *err) {
    if (check_text(m->id, 1, MOST_TEXT, where, "defense: an id", err) != 0 ||
        check_text(m->version, 0, MOST_TEXT, where, "defense: a version", err) != 0)
        return -1;
    if (m->params && !is_object(m->params))
        return gnt_fail(err, "%s: defense[%zu].params: is %s; expected an object of parameters", where, i,
                        gnt_show_text(m->params).text);
    return 0;
}

int gnt_capture_is_undefended(const gnt_capture_settings *s) {
    size_t i = 0;
    while (i < s->defense.n && strcmp(s->defense.at[i].id, "none") == 0) /* a plugin that changes nothing */
        i++;
    return s->defense.at && i == s->defense.n;
}

int gnt_capture_check_settings(const gnt_capture_settings *s, const char *where, gnt_err *err) {
    if (s->surface != GNT_SURFACE_UPDATE)
        return gnt_fail(err, "%s: surface: is not update; version %d of the format holds nothing else", where,
                        GNT_CAPTURE_VERSION);
    if (check_text(s->model.name, 1, MOST_TEXT, where, "model.name", err) != 0 ||
        check_text(s->about, 0, MOST_ABOUT, where, "about", err) != 0 ||
        check_sample(&s->model, where, err) != 0 || check_kind(s, where, err) != 0 ||
        check_normalisation(&s->model, where, err) != 0 || check_training(&s->training, where, err) != 0 ||
        check_federation(&s->federation, where, err) != 0 || check_attributes(s, where, err) != 0)
        return -1;
    for (size_t i = 0; i < s->defense.n; i++)
        if (check_member(&s->defense.at[i], i, where, err) != 0)
            return -1;
    return 0;
}
