/* `gauntlet data check`: what is there of one set, as text or as JSON. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json.h"
#include "base/mem.h"
#include "data/content_check.h"
#include "data/source.h"

/* Returns how many records the published files have; groups if rows vary. */
static int64_t published(const data_source *source, const data_notes *notes) {
    int64_t n = 0;
    for (int i = 0; i < notes->n; i++)
        n += notes->file[i].official;
    return source->rows_vary ? n : source->rows[0] + source->rows[1];
}

/* True if every published record is there. A part may be spread over several files, some of which may be
 * missing. */
static int is_complete(const gnt_data *d, const data_source *source, const data_notes *notes) {
    int whole = 1;
    for (int i = 0; i < notes->n; i++)
        whole &= notes->file[i].records == notes->file[i].official;
    return !source->load ||
           (source->rows_vary ? whole : d->part[0] == source->rows[0] && d->part[1] == source->rows[1]);
}

static void put_content(gnt_text *t, const gnt_data *d, const data_source *source, const data_content *c) {
    const int64_t test = d->part[GNT_PART_TEST];
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(&d->digest, hex);
    gnt_text_add(t, "  content %s%s\n", hex,
                 source->content && strcmp(hex, source->content) == 0 ? ", as published" : "");
    if (c->differs && c->other)
        gnt_text_add(t, "  this is %s, not %s, under the names of its files; put the files of %s there\n",
                     c->other, d->name, d->name);
    else if (c->differs)
        gnt_text_add(
            t,
            "  as many records as published, but other content: expected %s; a file is damaged or of "
            "another set, fetch the files again\n",
            source->content);
    if (c->repeated > 0)
        gnt_text_add(
            t, "  %lld of the %lld test rows are train rows too%s\n", (long long)c->repeated, (long long)test,
            c->repeated == test ? "; the test files are copies of training files, fetch them again" : "");
}

static void put_shape(gnt_text *t, const gnt_data *d) {
    for (int i = 0; i < d->rank; i++)
        gnt_text_add(t, "%s%lld", i ? "x" : "", (long long)d->dim[i]);
}

static void put_groups(gnt_text *t, const gnt_data *d) {
    if (d->group)
        gnt_text_add(t, ", groups (%s) %lld + %lld + %lld", d->group_name,
                     (long long)gnt_data_groups(d, GNT_PART_TRAIN),
                     (long long)gnt_data_groups(d, GNT_PART_TEST),
                     (long long)gnt_data_groups(d, GNT_PART_PUBLIC));
}

/* Lists how many rows have each value, `value` being every stride-th entry. */
static void put_counts(gnt_text *t, const gnt_data *d, const char *what, int32_t values,
                       const char *const *names, const int32_t *value, int64_t stride) {
    enum { MOST_LISTED = 20 };
    gnt_text_add(t, "  %s:", what);
    for (int32_t v = 0; v < values && v < MOST_LISTED; v++) {
        int64_t n = 0;
        for (int64_t row = 0; row < d->rows; row++)
            n += value[row * stride] == v;
        if (names)
            gnt_text_add(t, "%s %s %lld", v ? "," : "", gnt_show_text(names[v]).text, (long long)n);
        else
            gnt_text_add(t, "%s %d: %lld", v ? "," : "", v, (long long)n);
    }
    gnt_text_add(t, values > MOST_LISTED ? ", …\n" : "\n");
}

static void put_all_counts(gnt_text *t, const gnt_data *d) {
    if (!d->has_maps)
        put_counts(t, d, "classes", d->classes, d->class_name, d->label, 1);
    for (int a = 0; a < d->n_attrs; a++)
        put_counts(t, d, d->attr[a].name, d->attr[a].values, d->attr[a].value_name, d->attrs + a, d->n_attrs);
}

static void put_text(gnt_text *t, const gnt_data *d, const data_source *source, const data_notes *notes,
                     const data_content *c) {
    gnt_text_add(t, "%s: ", d->name);
    if (!source->load)
        gnt_text_add(t, "built in");
    else if (c->differs && c->other)
        gnt_text_add(t, "%s in its place", c->other);
    else if (c->differs)
        gnt_text_add(t, "as many records as published, but not the same");
    else if (is_complete(d, source, notes))
        gnt_text_add(t, "complete");
    else if (source->rows_vary)
        gnt_text_add(t, "subset of %lld %ss", (long long)published(source, notes), d->group_name);
    else
        gnt_text_add(t, "subset of %lld", (long long)published(source, notes));
    gnt_text_add(t, ", %lld rows of ", (long long)d->rows);
    put_shape(t, d);
    if (d->has_maps)
        gnt_text_add(t, ", each with a map and a mask");
    else
        gnt_text_add(t, ", %d classes", d->classes);
    for (int p = 0; p < 3; p++)
        if (d->part[p])
            gnt_text_add(t, ", %s %lld", data_part_names[p], (long long)d->part[p]);
    put_groups(t, d);
    gnt_text_add(t, "\n");
    for (int i = 0; i < notes->n; i++) {
        const data_file_note *f = &notes->file[i];
        gnt_text_add(t, "  %s: %lld %ss, ", f->path, (long long)f->records,
                     source->rows_vary ? d->group_name : "record");
        if (f->records == f->official)
            gnt_text_add(t, "complete\n");
        else
            gnt_text_add(t, "subset of %lld\n", (long long)f->official);
    }
    put_content(t, d, source, c);
}

static void put_fault(gnt_text *t, const char *name, const char *why) {
    size_t n = strlen(name);
    if (strncmp(why, name, n) != 0 || why[n] != ':')
        gnt_text_add(t, "%s: ", name);
    gnt_text_add(t, "%s\n", why);
}

static json_t *files_json(const data_notes *notes) {
    json_t *files = json_array();
    for (int i = 0; i < notes->n; i++) {
        const data_file_note *f = &notes->file[i];
        json_array_append_new(files, json_pack("{s:s, s:s, s:I, s:I, s:b}", "path", f->path, "part",
                                               data_part_names[f->part], "records", (json_int_t)f->records,
                                               "published", (json_int_t)f->official, "complete",
                                               f->records == f->official));
    }
    return files;
}

static json_t *groups_json(const gnt_data *d) {
    json_t *groups = d->group ? json_pack("{s:s}", "name", d->group_name) : json_null();
    for (int p = 0; d->group && p < 3; p++)
        json_object_set_new(groups, data_part_names[p], json_integer(gnt_data_groups(d, p)));
    return groups;
}

/* Returns true if the set is as published, false if not, null for a subset or if it is not known. */
static json_t *published_json(const gnt_data *d, const data_source *source, const data_notes *notes,
                              const data_content *c) {
    return source->content && is_complete(d, source, notes) ? json_boolean(!c->differs) : json_null();
}

static json_t *sound_json(const gnt_data *d, const data_source *source, const data_notes *notes,
                          const data_content *c) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(&d->digest, hex);
    json_t *shape = json_array(), *rows = json_object();
    for (int i = 0; i < d->rank; i++)
        json_array_append_new(shape, json_integer(d->dim[i]));
    for (int p = 0; p < 3; p++)
        json_object_set_new(rows, data_part_names[p], json_integer(d->part[p]));
    return json_pack("{s:s, s:b, s:s, s:b, s:o, s:o, s:i, s:b, s:o, s:o, s:s, s:o, s:s?, s:o}", "name",
                     d->name, "ok", !data_is_unsound(d, c), "source", source->load ? "files" : "built in",
                     "complete", is_complete(d, source, notes), "shape", shape, "rows", rows, "classes",
                     d->has_maps ? 0 : d->classes, "maps", d->has_maps, "groups", groups_json(d), "files",
                     files_json(notes), "content", hex, "as_published", published_json(d, source, notes, c),
                     "other_set", c->other, "test_rows_in_train",
                     c->repeated < 0 ? json_null() : json_integer(c->repeated));
}

static char *print_json(json_t *value) {
    char *dumped = value ? json_dumps(value, JSON_INDENT(2)) : NULL,
         *text = dumped ? gnt_strdup(dumped) : NULL;
    if (dumped)
        free(dumped);
    json_decref(value);
    return text;
}

/* Stands for the loader of described sets, which are complete as they are. */
static int load_nothing(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    (void)d, (void)folder, (void)notes, (void)err;
    return 0;
}

int gnt_data_check(const char *name, const char *folder, int json, char **text, gnt_err *err) {
    gnt_data_spec spec = {.name = name};
    gnt_err local;
    gnt_err *why = err ? err : &local;
    data_notes notes = {.n = 0};
    gnt_data *d = NULL;
    const int is_described = gnt_data_is_described(name);
    data_source described = {.name = name, .load = load_nothing};
    const data_source *source = is_described ? &described : data_find(name);
    int rc = data_open_noted(&d, &spec, folder, &notes, why);
    if (rc == 0)
        memcpy(described.rows, d->part, sizeof described.rows);
    data_content content = {.repeated = -1};
    if (rc == 0)
        content = data_check_content(d, source, is_complete(d, source, &notes));
    *text = NULL;
    if (json) {
        const char *word = name ? name : "";
        *text = print_json(rc == 0 ? sound_json(d, source, &notes, &content)
                                   : json_pack("{s:s, s:b, s:s, s:o}", "name", word, "ok", 0, "error",
                                               why->text, "files", files_json(&notes)));
    } else {
        gnt_text t;
        gnt_text_init(&t, 1 << 16);
        if (rc == 0) {
            put_text(&t, d, source, &notes, &content);
            if (is_described)
                put_all_counts(&t, d);
        } else
            put_fault(&t, name ? name : "", why->text);
        *text = gnt_text_take(&t);
        gnt_text_free(&t);
    }
    if (!*text && rc == 0)
        rc = gnt_fail(err, "%s: out of memory", name);
    if (rc == 0 && data_is_unsound(d, &content))
        rc = gnt_fail(err, "%s: not the published content", name);
    data_notes_free(&notes);
    gnt_data_free(d);
    return rc;
}
