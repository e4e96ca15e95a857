/* Drafts for folders with the lists of CelebA or LFW. */
#include <string.h>

#include "base/mem.h"
#include "data/draft.h"
#include "data/face_lists.h"

enum { MOST_LINE = 1 << 16, MOST_COLUMNS = 1024, LOOKED_AT = 8, MOST_PATH = 255 };

/* The beginning of a list's table. */
typedef struct table {
    data_bytes bytes;
    data_csv csv;
    data_field name[MOST_COLUMNS]; /* of the columns */
    int n;
    char *file[LOOKED_AT];
    size_t files;
    int parts; /* rows that are of the test part of CelebA */
} table;

static int has_column(const table *t, const char *name) {
    int has = 0;
    for (int i = 0; i < t->n; i++)
        has |= data_field_is(t->name[i], name);
    return has;
}

/* Reads the header, and the files of the first rows. */
static int read_table(table *t, gnt_err *err) {
    data_field line, field[MOST_COLUMNS];
    t->csv = (data_csv){.b = &t->bytes, .most_line = MOST_LINE, .separator = '\t', .has_no_offsets = 1};
    int more = data_csv_line(&t->csv, &line, err), part = -1;
    if (more <= 0)
        return more ? -1 : gnt_fail(err, "%s: has no rows", t->bytes.path);
    t->n = data_csv_split(&t->csv, line, t->name, MOST_COLUMNS, err);
    if (t->n < 0 || t->n > MOST_COLUMNS)
        return t->n < 0 ? -1 : gnt_fail(err, "%s: has more than %d columns", t->bytes.path, MOST_COLUMNS);
    for (int i = 0; i < t->n; i++)
        part = data_field_is(t->name[i], "part") ? i : part;
    while ((more = data_csv_line(&t->csv, &line, err)) > 0) {
        if (data_csv_record(&t->csv, line, field, t->n, "the header", err))
            return -1;
        if (t->files < LOOKED_AT) {
            char *file =
                gnt_format("%.*s", (int)(field[0].n < MOST_PATH ? field[0].n : MOST_PATH), field[0].at);
            if (!file)
                return gnt_fail(err, "%s: out of memory", t->bytes.path);
            t->file[t->files++] = file;
        }
        t->parts += part >= 0 && data_field_is(field[part], "2");
    }
    return more < 0 || t->files ? more : gnt_fail(err, "%s: has no rows", t->bytes.path);
}

static void free_table(table *t) {
    for (size_t i = 0; i < t->files; i++)
        gnt_free(t->file[i]);
    data_bytes_free(&t->bytes);
    gnt_free(t);
}

static json_t *column(const char *name, const char *as) {
    return json_pack("{s:s, s:s}", "column", name, "as", as);
}

/* Names the columns: label and attribute are the two that papers use most. */
static void put_columns(data_draft *draft, const table *t, const char *group, int with_part) {
    json_t *columns = json_array();
    const int smiles = has_column(t, "Smiling"), male = has_column(t, "Male");
    char *label =
        smiles ? gnt_strdup("Smiling") : gnt_format("%.*s", (int)t->name[t->n - 1].n, t->name[t->n - 1].at);
    json_array_append_new(columns, column("file", "file"));
    json_t *one = column(label ? label : "", "label");
    json_object_set_new(one, "values",
                        smiles ? json_pack("[s, s]", "not smiling", "smiling")
                               : json_pack("[s, s]", "no", "yes"));
    json_object_set_new(one, "above", json_integer(0));
    json_array_append_new(columns, one);
    if (male) {
        one = column("Male", "attribute");
        json_object_set_new(one, "name", json_string("sex"));
        json_object_set_new(one, "values", json_pack("[s, s]", "female", "male"));
        json_object_set_new(one, "above", json_integer(0));
        json_array_append_new(columns, one);
    }
    if (group) {
        one = column(group, "group");
        json_object_set_new(one, "name", json_string("person"));
        json_array_append_new(columns, one);
    }
    if (with_part)
        json_array_append_new(columns, json_pack("{s:s, s:s, s:[s], s:[s], s:[s]}", "column", "part", "as",
                                                 "part", "train", "0", "public", "1", "test", "2"));
    data_draft_set(draft, "columns", columns);
    data_draft_note(draft, "columns: the label is %s%s; other attributes of the list can take their places",
                    label ? label : "",
                    male ? " and the private attribute Male" : ", and there is no private attribute");
    gnt_free(label);
}

static int put_images(data_draft *draft, const table *t, gnt_err *err) {
    char *place = data_draft_place(draft, t->file[0]);
    if (!place)
        return gnt_fail(err, "%s: has no %s, the first picture of %s; put the folder of pictures there",
                        draft->folder, t->file[0], t->bytes.path);
    const int rc = data_draft_images(draft, place, (const char *const *)t->file, 1, err);
    gnt_free(place);
    return rc;
}

static int draft_celeba(data_draft *draft, table *t, const char *attributes, gnt_err *err) {
    static const char *const ends[] = {".txt", ".csv", NULL},
                             *const part_stems[] = {"list_eval_partition", NULL},
                             *const who_stems[] = {"identity_CelebA", "identity_celeba", NULL};
    const char *partition = data_draft_find(draft, part_stems, ends),
               *identity = data_draft_find(draft, who_stems, ends);
    char *path[3] = {gnt_format("%s/%s", draft->folder, attributes),
                     partition ? gnt_format("%s/%s", draft->folder, partition) : NULL,
                     identity ? gnt_format("%s/%s", draft->folder, identity) : NULL};
    int rc = path[0] && (!partition || path[1]) && (!identity || path[2])
                 ? data_celeba_table(&t->bytes, path[0], path[1], path[2], err)
                 : gnt_fail(err, "%s: out of memory", draft->folder);
    for (int i = 0; i < 3; i++)
        gnt_free(path[i]);
    if (rc != 0 || read_table(t, err))
        return -1;
    const int with_part = partition && t->parts > 0;
    if (partition && !with_part)
        data_draft_note(draft, "list: %s has no test rows (2) among the rows of %s, so it is not used",
                        partition, attributes);
    if (put_images(draft, t, err))
        return -1;
    data_draft_set(draft, "list",
                   json_pack("{s:s, s:s, s:s*, s:s*}", "format", "celeba", "attributes", attributes,
                             "partition", with_part ? partition : NULL, "identity", identity));
    put_columns(draft, t, identity ? "identity" : NULL, with_part);
    if (!identity)
        data_draft_note(
            draft,
            "columns: without identity_CelebA.txt rows have no groups, so that a person's pictures may "
            "be in several roles");
    if (!with_part)
        data_draft_split(draft, identity ? "the number of a person" : "the name of a file");
    return 1;
}

static int draft_lfw(data_draft *draft, table *t, const char *attributes, gnt_err *err) {
    char *path = gnt_format("%s/%s", draft->folder, attributes), *place = NULL;
    int flat = 0, rc = path ? 0 : gnt_fail(err, "%s: out of memory", draft->folder);
    if (rc == 0 && (rc = data_lfw_table(&t->bytes, path, 0, err)) == 0 && (rc = read_table(t, err)) == 0 &&
        !(place = data_draft_place(draft, t->file[0]))) {
        /* the same files without the folders of persons */
        const char *slash = strchr(t->file[0], '/');
        flat = slash && (place = data_draft_place(draft, slash + 1)) != NULL;
        for (size_t i = 0; flat && i < t->files; i++)
            memmove(t->file[i], strchr(t->file[i], '/') + 1, strlen(strchr(t->file[i], '/')));
    }
    gnt_free(place);
    gnt_free(path);
    if (rc != 0 || put_images(draft, t, err))
        return -1;
    json_t *list = json_pack("{s:s, s:s}", "format", "lfw", "attributes", attributes);
    if (flat)
        json_object_set_new(list, "flat", json_true());
    data_draft_set(draft, "list", list);
    put_columns(draft, t, "person", 0);
    data_draft_split(draft, "the name of a person");
    return 1;
}

int data_draft_faces(data_draft *draft, gnt_err *err) {
    static const char *const celeba[] = {"list_attr_celeba", NULL}, *const lfw[] = {"lfw_attributes", NULL},
                             *const ends[] = {".txt", ".csv", NULL};
    const char *of_celeba = data_draft_find(draft, celeba, ends), *of_lfw = data_draft_find(draft, lfw, ends);
    if (!of_celeba && !of_lfw)
        return 0;
    table *t = gnt_alloc(sizeof *t);
    if (!t)
        return gnt_fail(err, "%s: out of memory", draft->folder);
    data_draft_set(draft, "kind", json_string("image"));
    const int rc = of_celeba ? draft_celeba(draft, t, of_celeba, err) : draft_lfw(draft, t, of_lfw, err);
    free_table(t);
    return rc;
}
