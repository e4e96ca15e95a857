/* results.json into structs: the tables check sizes, types and words; what goes over one value is checked
 * here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "gzip/gzip.h"
#include "result/read_impl.h"
#include "result/result.h"

/* The largest file that is read, unpacked. That of the largest plan has 300 MB with one target a cell. */
static const size_t most_bytes = (size_t)2 << 30;

void gnt_result_clear(gnt_result *r) {
    gnt_fields_clear(&gnt_result_fields, r);
    r->format = 1;
}

void gnt_result_free(gnt_result *r) {
    gnt_arena memory = r->memory;
    gnt_arena_free(&memory);
    gnt_result_clear(r);
}

static int by_measure(const void *a, const void *b) {
    return strcmp(((const gnt_score *)a)->measure, ((const gnt_score *)b)->measure);
}

static void add_guesses(const gnt_outcome *o, gnt_score *s) {
    for (int f = 0; f < GNT_FLOORS; f++)
        s->floor[f] = NAN;
    s->chance = NAN;
    for (size_t i = 0; i < o->floors.n; i++)
        if (strcmp(o->floors.at[i].measure, s->measure) == 0)
            memcpy(s->floor, o->floors.at[i].floor, sizeof s->floor);
    for (size_t i = 0; i < o->chance.n; i++)
        if (strcmp(o->chance.at[i].name, s->measure) == 0)
            s->chance = o->chance.at[i].value;
}

/* True for an entry that is null in the file. */
static int is_empty(const gnt_stat *s) {
    return isnan(s->mean) && isnan(s->low) && isnan(s->high) && isnan(s->worst) && s->n == 0;
}

static int join(gnt_outcome *o, gnt_arena *arena) {
    o->score = gnt_arena_array(arena, o->measures.n, sizeof *o->score);
    o->n_score = 0;
    if (!o->score)
        return -1;
    for (size_t i = 0; i < o->measures.n; i++) {
        const gnt_named_stat *m = &o->measures.at[i];
        if (is_empty(&m->stat))
            continue;
        gnt_score *s = &o->score[o->n_score++];
        *s = (gnt_score){.measure = m->measure, .stat = m->stat};
        add_guesses(o, s);
    }
    if (o->n_score)
        qsort(o->score, o->n_score, sizeof *o->score, by_measure);
    return 0;
}

/* ---- what goes over one value ---- */

size_t gnt_rounds_stop_rising(const gnt_rounds *list) {
    for (size_t k = 1; k < list->n; k++)
        if (list->at[k].round <= list->at[k - 1].round)
            return k;
    return list->n;
}

static int check_rounds(const gnt_outcomes *cells, gnt_err *err) {
    for (size_t i = 0; i < cells->n; i++) {
        const gnt_rounds *list = &cells->at[i].utility.by_round;
        const size_t k = gnt_rounds_stop_rising(list);
        if (k < list->n)
            return gnt_fail(err,
                            "cells[%zu].utility.by_round[%zu].round: is %lld after %lld, expected "
                            "rounds that rise",
                            i, k, (long long)list->at[k].round, (long long)list->at[k - 1].round);
    }
    return 0;
}

/* ---- keys that no row names ---- */

static int note_unknown_in(gnt_outcome *cell, const json_t *from, gnt_arena *arena) {
    gnt_path first;
    if (gnt_fields_unknown(&gnt_cell_fields, from, "", 1, &first) > 0)
        cell->unknown = gnt_arena_text(arena, first.text);
    return cell->unknown ? 0 : -1;
}

static int note_unknown(gnt_result *r, const json_t *root, gnt_err *err) {
    const json_t *cells =
        json_object_get(root, gnt_fields_name(&gnt_result_fields, offsetof(gnt_result, cells)));
    r->n_unknown = gnt_fields_unknown(&gnt_result_fields, root, "", 0, &r->unknown);
    for (size_t i = 0; i < r->cells.n; i++)
        if (note_unknown_in(&r->cells.at[i], json_array_get(cells, i), &r->memory) != 0)
            return gnt_fail(err, "out of memory for %zu cells", r->cells.n);
    return 0;
}

static int join_all(gnt_outcomes *list, gnt_arena *arena, gnt_err *err) {
    for (size_t i = 0; i < list->n; i++)
        if (join(&list->at[i], arena) != 0)
            return gnt_fail(err, "out of memory for %zu outcomes", list->n);
    return 0;
}

int gnt_result_join(gnt_result *r, gnt_err *err) {
    return join_all(&r->groups, &r->memory, err) != 0 ? -1 : join_all(&r->cells, &r->memory, err);
}

/* True if an outcome's defense is made of `none` alone, or of plugins that the file does not name. */
static int is_undefended(const gnt_result *r, const gnt_outcome *o) {
    for (size_t i = 0; i < r->defenses.n; i++) {
        const gnt_result_defense *d = &r->defenses.at[i];
        if (strcmp(d->label, o->defense) != 0)
            continue;
        size_t k = 0;
        while (k < d->members.n && strcmp(d->members.at[k].id, "none") == 0)
            k++;
        return d->members.n ? k == d->members.n : !*d->plugin || strcmp(d->plugin, "none") == 0;
    }
    return !*o->plugin || strcmp(o->plugin, "none") == 0;
}

/* Separates two modes: up to 0.9.0 a defense without a strength had the mode of no defense. */
static void separate_modes(const gnt_result *r, gnt_outcomes *list) {
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].mode == GNT_ROW_NONE || list->at[i].mode == GNT_ROW_AS_IS)
            list->at[i].mode = is_undefended(r, &list->at[i]) ? GNT_ROW_NONE : GNT_ROW_AS_IS;
}

static int complete(gnt_result *r, gnt_err *err) {
    separate_modes(r, &r->cells);
    separate_modes(r, &r->groups);
    for (size_t i = 0; i < r->matches.n; i++) {
        gnt_match_row *m = &r->matches.at[i];
        m->is_matched = !strcmp(m->verdict, "matched") || !strcmp(m->verdict, "saturated");
    }
    return check_rounds(&r->cells, err) != 0 ? -1 : gnt_result_join(r, err);
}

static int decode(gnt_result *r, const char *name, const json_t *root, gnt_err *err) {
    const json_t *format = json_object_get(root, "format");
    gnt_arena memory = {0};
    gnt_err why = {""};
    int rc;
    if (!json_is_object(root))
        rc = gnt_fail(err, "%s: expected one object; is this the results.json of a run?", name);
    else if (!json_is_integer(format) || json_integer_value(format) != 1)
        rc = gnt_fail(err, "%s: format: expected 1, the only format that is read here", name);
    else {
        rc = gnt_fields_decode(&gnt_result_fields, r, root, &memory, "", &why);
        r->memory = memory;
        if (rc == 0)
            rc = complete(r, &why) || note_unknown(r, root, &why) ? -1 : 0;
        memory = r->memory;
        if (rc != 0)
            gnt_fail(err, "%s: %s; run the suite again to write this file again", name, why.text);
    }
    if (rc == 0)
        return 0;
    gnt_arena_free(&memory);
    gnt_result_clear(r);
    return -1;
}

/* ---- in parts: the tree of one cell at a time is in memory, which takes ten times the text ---- */

enum { LONG_LISTS = 2 };

/* A long list that is being read. */
typedef struct filling {
    gnt_result *result;
    gnt_outcomes *to;
    const gnt_fields *fields;
    size_t n;
    int of_cells;
} filling;

static int take_outcome(void *user, size_t i, const json_t *entry) {
    const filling *f = user;
    gnt_path first;
    gnt_arena *memory = &f->result->memory;
    if (i >= f->n || gnt_fields_decode(f->fields, &f->to->at[i], entry, memory, "", NULL) != 0 ||
        gnt_fields_unknown(f->fields, entry, "", 0, &first) > 0)
        return -1;
    f->to->n = i + 1;
    return f->of_cells ? note_unknown_in(&f->to->at[i], entry, memory) : 0;
}

static int read_list(gnt_result *r, const result_list *list, const char *text) {
    gnt_outcomes *to = (gnt_outcomes *)((char *)r + list->field->offset);
    filling f = {r, to, list->field->group, result_count_entries(list, text), to == &r->cells};
    to->n = 0;
    to->at = f.n <= list->field->most_entries ? gnt_arena_array(&r->memory, f.n, sizeof *to->at) : NULL;
    return to->at && result_each_entry(list, text, take_outcome, &f) == 0 && to->n == f.n ? 0 : -1;
}

/* Returns the tree of the text without the entries of the lists; NULL if there is none. */
static json_t *load_without(const result_list *list, size_t n, const char *text, size_t size) {
    gnt_text rest;
    size_t at = 0;
    gnt_text_init(&rest, most_bytes);
    for (size_t i = 0; i < n; i++) {
        gnt_text_bytes(&rest, text + at, list[i].first - at);
        gnt_text_add(&rest, "[]");
        at = list[i].end;
    }
    gnt_text_bytes(&rest, text + at, size - at);
    json_t *root = rest.failed ? NULL : json_loadb(rest.data, rest.size, JSON_REJECT_DUPLICATES, NULL);
    gnt_text_free(&rest);
    return root;
}

/* Reads a file without faults or keys that no row names; of others it returns −1, with *r empty. */
static int parse_in_parts(gnt_result *r, const char *text, size_t size) {
    const gnt_field *field[LONG_LISTS];
    result_list list[LONG_LISTS];
    size_t n = 0, n_found;
    gnt_arena memory = {0};
    gnt_path first;
    for (size_t i = 0; i < gnt_result_fields.n; i++)
        if (gnt_result_fields.field[i].offset == offsetof(gnt_result, groups) ||
            gnt_result_fields.field[i].offset == offsetof(gnt_result, cells))
            field[n++] = &gnt_result_fields.field[i];
    if (result_find_lists(list, &n_found, field, n, text, size) != 0)
        return -1;
    json_t *root = load_without(list, n_found, text, size);
    int rc = json_integer_value(json_object_get(root, "format")) == 1 &&
                     gnt_fields_decode(&gnt_result_fields, r, root, &memory, "", NULL) == 0
                 ? 0
                 : -1;
    r->memory = memory;
    for (size_t i = 0; rc == 0 && i < n_found; i++)
        rc = read_list(r, &list[i], text);
    if (rc == 0)
        rc = complete(r, NULL) || gnt_fields_unknown(&gnt_result_fields, root, "", 0, &first) ? -1 : 0;
    json_decref(root);
    if (rc != 0)
        gnt_result_free(r);
    return rc;
}

int gnt_result_parse(gnt_result *r, const char *name, const char *text, size_t size, gnt_err *err) {
    json_error_t wrong;
    gnt_result_clear(r);
    if (parse_in_parts(r, text, size) == 0)
        return 0;
    /* as a whole, so that a sentence says what is wrong where */
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    gnt_result_clear(r);
    if (!root)
        return gnt_fail(err, "%s:%d:%d: %s", name, wrong.line, wrong.column, wrong.text);
    const int rc = decode(r, name, root, err);
    json_decref(root);
    return rc;
}

/* Reads the bytes of PATH, or of PATH.gz where there is no such file. */
static int read_bytes(const char *path, uint8_t **bytes, size_t *size, gnt_err *err) {
    uint8_t *packed = NULL;
    char *gz = gnt_format("%s.gz", path);
    int rc;
    if (!gz)
        return gnt_fail(err, "%s: out of memory", path);
    if (gnt_file_exists(path) || !gnt_file_exists(gz))
        rc = gnt_file_read(path, most_bytes, bytes, size, err);
    else
        rc = gnt_file_read(gz, most_bytes, &packed, size, err) ||
                     gnt_gunzip(gz, packed, *size, most_bytes, bytes, size, err)
                 ? -1
                 : 0;
    gnt_free(packed);
    gnt_free(gz);
    return rc;
}

int gnt_result_load(gnt_result *r, const char *path, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    gnt_result_clear(r);
    if (read_bytes(path, &bytes, &size, err) != 0) {
        const gnt_err why = *err;
        return gnt_file_exists(path)
                   ? -1
                   : gnt_fail(err, "%s; expected the folder of a run, as `gauntlet run` writes it", why.text);
    }
    const int rc = gnt_result_parse(r, path, (const char *)bytes, size, err);
    gnt_free(bytes);
    return rc;
}
