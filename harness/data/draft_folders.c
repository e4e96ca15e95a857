/* Drafts for folders of pictures whose folders are their classes. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/draft.h"
#include "data/image_folders.h"

enum { LOOKED_AT = 8, MOST_CLASSES = 1000 };

/* Returns the first picture of a folder; NULL: it has none. The caller frees it. */
static char *first_picture(const char *path) {
    data_names in;
    char *found = NULL;
    if (data_names_list(&in, path, NULL) == 0)
        for (size_t i = 0; !found && i < in.n; i++)
            found = data_is_image_name(in.at[i]) ? gnt_strdup(in.at[i]) : NULL;
    data_names_free(&in);
    return found;
}

/* Lists the folders in `folder` that have pictures. Returns NULL where there are fewer than two. first[…]: a
 * picture of each of the first, as a path from there. */
static json_t *classes_of(const char *folder, char *first[LOOKED_AT], size_t *n) {
    json_t *classes = json_array();
    data_names in;
    *n = 0;
    if (data_names_list(&in, folder, NULL) == 0)
        for (size_t i = 0; i < in.n && json_array_size(classes) < MOST_CLASSES; i++) {
            char *path = data_is_folder(folder, in.at[i]) ? gnt_format("%s/%s", folder, in.at[i]) : NULL,
                 *picture = path ? first_picture(path) : NULL;
            if (picture) {
                json_array_append_new(classes, json_string(in.at[i]));
                if (*n < LOOKED_AT && (first[*n] = gnt_format("%s/%s", in.at[i], picture)))
                    ++*n;
            }
            gnt_free(picture);
            gnt_free(path);
        }
    data_names_free(&in);
    if (json_array_size(classes) >= 2)
        return classes;
    json_decref(classes);
    for (size_t i = 0; i < *n; i++)
        gnt_free(first[i]);
    *n = 0;
    return NULL;
}

/* Returns the folder of a part, which has the classes; NULL: there is none. */
static const char *part_folder(data_draft *draft, const char *const *names, const json_t *classes) {
    static const char *const none[] = {"", NULL};
    const char *name = data_draft_find(draft, names, none);
    char *path = name ? gnt_format("%s/%s", draft->folder, name) : NULL, *first[LOOKED_AT];
    size_t n;
    json_t *own = path ? classes_of(path, first, &n) : NULL;
    const int same = own && (!classes || json_equal(own, classes));
    if (own && !same)
        data_draft_note(draft, "parts: %s has other classes than the train part, so it is not used", name);
    for (size_t i = 0; own && i < n; i++)
        gnt_free(first[i]);
    json_decref(own);
    gnt_free(path);
    return same ? name : NULL;
}

static int put(data_draft *draft, json_t *classes, const char *place, char *first[LOOKED_AT], size_t n,
               gnt_err *err) {
    data_draft_set(draft, "kind", json_string("image"));
    const int rc = data_draft_images(draft, place, (const char *const *)first, n, err);
    data_draft_set(draft, "classes", classes);
    for (size_t i = 0; i < n; i++)
        gnt_free(first[i]);
    return rc;
}

int data_draft_folders(data_draft *draft, gnt_err *err) {
    static const char *const train_names[] = {"train", "training", NULL},
                             *const test_names[] = {"test", "testing", NULL},
                             *const other_names[] = {"val", "valid", "validation", "public", NULL};
    char *first[LOOKED_AT];
    size_t n = 0;
    const char *train = part_folder(draft, train_names, NULL);
    if (!train) {
        json_t *classes = classes_of(draft->folder, first, &n);
        if (!classes)
            return 0;
        if (put(draft, classes, ".", first, n, err))
            return -1;
        data_draft_split(draft, "the name of a file");
        return 1;
    }
    char *path = gnt_format("%s/%s", draft->folder, train);
    json_t *classes = path ? classes_of(path, first, &n) : NULL;
    gnt_free(path);
    if (!classes)
        return gnt_fail(err, "%s: out of memory", draft->folder);
    const char *test = part_folder(draft, test_names, classes),
               *other = part_folder(draft, other_names, classes);
    if (!test) {
        test = other;
        other = NULL;
    }
    char *place = test ? gnt_strdup(".") : gnt_strdup(train);
    for (size_t i = 0; test && i < n; i++) {
        char *longer = gnt_format("%s/%s", train, first[i]);
        if (longer) {
            gnt_free(first[i]);
            first[i] = longer;
        }
    }
    const int rc = put(draft, classes, place ? place : ".", first, n, err);
    gnt_free(place);
    if (rc != 0)
        return -1;
    if (!test) { /* the train part alone is divided */
        data_draft_split(draft, "the name of a file");
        return 1;
    }
    data_draft_set(draft, "parts",
                   json_pack("{s:s, s:s, s:s*}", "train", train, "test", test, "public", other));
    if (other)
        data_draft_note(draft, "parts: %s is the public part, which attackers and pretraining may use",
                        other);
    return 1;
}
