/* Opens data sets: where the files of one lie, and how its rows are read or drawn. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/described.h"
#include "data/source.h"

static void shape(gnt_data *d, const data_source *source) {
    snprintf(d->name, sizeof d->name, "%s", source->name);
    d->variant = source->variant;
    source->shape(d);
}

/* Returns a set without rows; NULL when out of memory. */
static gnt_data *new_data(const data_source *source, gnt_err *err) {
    gnt_data *d = gnt_alloc(sizeof *d);
    if (d)
        shape(d, source);
    else
        gnt_fail(err, "%s: out of memory", source->name);
    return d;
}

const char *gnt_data_about(const char *name) {
    const data_source *source = data_find(name);
    return source ? source->about : NULL;
}

const char *gnt_data_group_name(const char *name) {
    const data_source *source = data_find(name);
    gnt_data d = {.name = ""};
    if (source)
        shape(&d, source);
    return d.group_name;
}

/* Returns the folder under `folder` that has the files of the set; NULL if none has. The caller frees it. */
static char *folder_of(const data_source *source, const char *folder) {
    for (const char *const *under = source->folders; *under; under++)
        for (const char *const *file = source->files; *file; file++) {
            if (!strcmp(*under, ".") && data_has("%s/%s", folder, *file))
                return gnt_strdup(folder);
            if (data_has("%s/%s/%s", folder, *under, *file))
                return gnt_format("%s/%s", folder, *under);
        }
    return NULL;
}

int gnt_data_present(const char *name, const char *folder) {
    if (gnt_data_is_described(name))
        return data_described_present(name, folder);
    const data_source *source = data_find(name);
    if (!source || !source->load || !folder)
        return source && !source->load;
    char *found = folder_of(source, folder);
    gnt_free(found);
    return found != NULL;
}

int gnt_data_default_rows(const char *name, int64_t rows[3]) {
    const data_source *source = data_find(name);
    if (source)
        memcpy(rows, source->rows, sizeof source->rows);
    return source ? 0 : -1;
}

int gnt_data_published(gnt_data **out, const char *name, gnt_err *err) {
    const data_source *source = data_find(name);
    *out = NULL;
    if (gnt_data_is_described(name))
        return gnt_fail(err, "%s: its description is not here; give the folder that has it with --data DIR",
                        name);
    if (!source || !source->load)
        return gnt_fail(err, "%s: it was not published as files of a known shape", name);
    gnt_data *d = *out = new_data(source, err);
    if (d)
        memcpy(d->part, source->rows, sizeof d->part);
    return d ? 0 : -1;
}

/* Draws the rows of a built-in set, unless `undrawn` leaves them to gnt_data_draw; 0 in the spec means the
 * default number. */
static int generate(gnt_data *d, const data_source *source, const gnt_data_spec *spec, int undrawn,
                    gnt_err *err) {
    gnt_data_spec full = *spec;
    for (int p = 0; p < 3; p++) {
        if (spec->rows[p] < 0)
            return gnt_fail(err, "%s: %lld rows requested; give 0 (the default) or more", spec->name,
                            (long long)spec->rows[p]);
        if (full.rows[p] == 0)
            full.rows[p] = source->rows[p];
    }
    if (source->generate)
        return source->generate(d, &full, err);
    if (data_reserve(d, full.rows, err))
        return -1;
    d->undrawn = undrawn && !d->group;
    if (d->undrawn)
        return 0;
    const data_row_keys keys = data_keys(d->name, full.seed);
    int64_t row = 0;
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < d->part[p]; i++, row++) {
            gnt_stream s = data_row_stream(&keys, p, i);
            source->draw(d, row, &s);
        }
    return 0;
}

static int fail_without_files(const data_source *source, const char *folder, gnt_err *err) {
    char *other = data_other_form(source, folder);
    if (other)
        gnt_fail(err, "%s: %s", source->name, other);
    else
        gnt_fail(err, "%s: no file of this set in %s/%s or in %s itself; expected %s, among others",
                 source->name, folder, source->folders[0], folder, source->files[0]);
    gnt_free(other);
    return -1;
}

static int open_set(gnt_data **out, const gnt_data_spec *spec, const char *folder, data_notes *notes,
                    int undrawn, gnt_err *err) {
    const data_source *source = data_find(spec->name);
    const char *word = spec->name ? spec->name : "";
    *out = NULL;
    if (gnt_data_is_described(word))
        return data_described_open(out, word, folder, err);
    if (!source) {
        size_t n;
        const char *const *names = gnt_data_names(&n), *near = gnt_nearest(word, names, n);
        return gnt_fail(err, "no data set is called \"%s\"%s%s%s; `gauntlet data list` shows them all", word,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "");
    }
    gnt_data *d = new_data(source, err);
    if (!d)
        return -1;
    int rc;
    char *found = NULL;
    if (!source->load)
        rc = generate(d, source, spec, undrawn, err);
    else if (!folder || !*folder)
        rc = gnt_fail(err, "%s is read from files: name their folder with --data DIR or GAUNTLET_DATA",
                      source->name);
    else if (!(found = folder_of(source, folder)))
        rc = fail_without_files(source, folder, err);
    else
        rc = source->load(d, found, notes, err);
    gnt_free(found);
    if (rc != 0) {
        gnt_data_free(d);
        return -1;
    }
    if (!d->undrawn)
        d->digest = data_content_digest(d);
    *out = d;
    return 0;
}

int data_open_noted(gnt_data **out, const gnt_data_spec *spec, const char *folder, data_notes *notes,
                    gnt_err *err) {
    return open_set(out, spec, folder, notes, 0, err);
}

int gnt_data_open(gnt_data **out, const gnt_data_spec *spec, const char *folder, gnt_err *err) {
    return open_set(out, spec, folder, NULL, 0, err);
}

int gnt_data_open_undrawn(gnt_data **out, const gnt_data_spec *spec, const char *folder, gnt_err *err) {
    return open_set(out, spec, folder, NULL, 1, err);
}

void gnt_data_draw(gnt_data *d, const gnt_data_spec *spec, const int64_t *rows, int64_t n) {
    const data_source *source = data_find(spec->name);
    const data_row_keys keys = data_keys(d->name, spec->seed);
    for (int64_t i = 0; d->undrawn && i < n; i++) {
        int64_t in_part = rows[i];
        int part = 0;
        while (in_part >= d->part[part])
            in_part -= d->part[part++];
        gnt_stream s = data_row_stream(&keys, part, in_part);
        source->draw(d, rows[i], &s);
    }
}
