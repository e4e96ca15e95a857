#include "data/draft.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/bitmap_read.h"
#include "data/bytes.h"

void data_draft_note(data_draft *draft, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *line = gnt_vformat(format, args);
    va_end(args);
    gnt_text_add(&draft->notes, "%s\n", line ? line : "out of memory for a note");
    gnt_free(line);
}

void data_draft_set(data_draft *draft, const char *key, json_t *value) {
    json_object_set_new(draft->all, key, value);
}

int data_draft_has(const data_draft *draft, const char *name) {
    int has = 0;
    for (size_t i = 0; i < draft->in.n; i++)
        has |= strcmp(draft->in.at[i], name) == 0;
    return has;
}

const char *data_draft_find(const data_draft *draft, const char *const *stems, const char *const *endings) {
    for (; *stems; stems++)
        for (size_t i = 0; i < draft->in.n; i++)
            for (const char *const *end = endings; *end; end++) {
                const size_t n = strlen(*stems);
                if (strncasecmp(draft->in.at[i], *stems, n) == 0 &&
                    strcasecmp(draft->in.at[i] + n, *end) == 0)
                    return draft->in.at[i];
            }
    return NULL;
}

char *data_draft_place(const data_draft *draft, const char *file) {
    if (data_has("%s/%s", draft->folder, file))
        return gnt_strdup(".");
    for (size_t i = 0; i < draft->in.n; i++) {
        const char *name = draft->in.at[i];
        data_names below;
        char *path, *found = NULL;
        if (!data_is_folder(draft->folder, name))
            continue;
        if (data_has("%s/%s/%s", draft->folder, name, file))
            return gnt_strdup(name);
        path = gnt_format("%s/%s", draft->folder, name);
        if (path && data_names_list(&below, path, NULL) == 0) {
            for (size_t k = 0; !found && k < below.n; k++)
                if (data_has("%s/%s/%s", path, below.at[k], file))
                    found = gnt_format("%s/%s", name, below.at[k]);
            data_names_free(&below);
        }
        gnt_free(path);
        if (found)
            return found;
    }
    return NULL;
}

int data_draft_images(data_draft *draft, const char *place, const char *const *file, size_t n, gnt_err *err) {
    enum { MOST_SIDE = 64 };
    int wide = 0, high = 0, is_colour = 0, is_equal = 1;
    for (size_t i = 0; i < n; i++) {
        data_bitmap p;
        char *path = gnt_format("%s/%s/%s", draft->folder, place, file[i]);
        const int rc = path ? data_bitmap_read(&p, path, err) : gnt_fail(err, "%s: out of memory", file[i]);
        gnt_free(path);
        if (rc != 0)
            return -1;
        is_equal &= i == 0 || (wide == p.wide && high == p.high);
        is_colour |= p.channels == 3;
        wide = p.wide;
        high = p.high;
        data_bitmap_free(&p);
    }
    json_t *images = json_object();
    if (strcmp(place, ".") != 0)
        json_object_set_new(images, "folder", json_string(place));
    json_object_set_new(images, "colour", json_string(is_colour ? "rgb" : "grey"));
    if (!is_equal || wide > MOST_SIDE || high > MOST_SIDE) {
        json_object_set_new(images, "crop", json_string("centre square"));
        json_object_set_new(images, "size", json_pack("[i, i]", MOST_SIDE, MOST_SIDE));
        data_draft_note(
            draft,
            "images: the first picture%s %d by %d pixels%s; the square in the centre is cut out and "
            "resized to %d by %d, change \"crop\" and \"size\" for another size",
            n == 1 ? " is" : "s are", wide, high, is_equal ? "" : ", and others are not", MOST_SIDE,
            MOST_SIDE);
    }
    data_draft_set(draft, "images", images);
    return 0;
}

void data_draft_split(data_draft *draft, const char *by) {
    data_draft_set(draft, "split", json_pack("{s:f, s:f}", "test", 0.2, "public", 0.1));
    data_draft_note(
        draft,
        "split: the files do not say what is for tests; %s deals a fifth to the test part and a tenth "
        "to the public part",
        by);
}

static int is_one_of(const char *name, const char *const *words) {
    int is = 0;
    for (; *words; words++)
        is |= strcasecmp(name, *words) == 0;
    return is;
}

int data_draft_is_group(const char *name) {
    static const char *const words[] = {"group",      "person",  "person_id",  "identity", "subject",
                                        "subject_id", "patient", "patient_id", "user",     "user_id",
                                        "household",  "speaker", "owner",      "name",     NULL};
    return is_one_of(name, words);
}

int data_draft_is_private(const char *name) {
    static const char *const words[] = {
        "sex",     "gender",         "race",           "ethnicity", "religion",    "disability", "smoker",
        "marital", "marital-status", "marital_status", "age_group", "nationality", NULL};
    return is_one_of(name, words);
}
