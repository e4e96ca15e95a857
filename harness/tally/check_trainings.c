/* Utilities: every cell of one training says the same, by round too where that is told, and every cell of a
 * task and seed names the same undefended one. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/map.h"
#include "tally/tally_impl.h"

/* TASK/DEFENSE@STRENGTH/sSEED of a cell's id; the caller frees. */
static char *training_of(const json_t *cell) {
    const char *id = tally_text(cell, "cell"), *task = tally_text(cell, "task");
    const char *seed = strrchr(id, '/'), *attack = tally_text(cell, "attack");
    const size_t head = strlen(task), tail = strlen(attack) + 1;
    const char *defense = strlen(id) > head + 1 ? strchr(id + head + 1, '/') : NULL;
    if (!seed || !defense || seed < defense || (size_t)(seed - defense) < tail)
        return NULL;
    return gnt_format("%s%.*s%s", task, (int)((size_t)(seed - defense) - tail), defense, seed);
}

/* What `seen` has under the key, which is kept where it is the first; the caller's key is freed. */
static json_t *first_of(json_t *seen, char *key, json_t *value) {
    json_t *first = key ? json_object_get(seen, key) : NULL;
    if (key && !first)
        json_object_set(seen, key, value);
    gnt_free(key);
    return first;
}

static int is_undefended(const tally *t, const char *defense) {
    const json_t *list = json_object_get(t->root, "defenses");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i), *members = json_object_get(one, "members");
        if (strcmp(tally_text(one, "label"), defense) == 0)
            return json_array_size(members) == 1 &&
                   strcmp(tally_text(json_array_get(members, 0), "id"), "none") == 0;
    }
    return 0;
}

/* The utility of a training is that after its last round; rounds rise, and only a task that asks for them has
 * them. */
static int check_by_round(const tally *t, const json_t *cell, const char *path, const json_t *utility) {
    const json_t *list = json_object_get(utility, "by_round"), *task = tally_task(t, cell);
    const size_t n = json_array_size(list);
    const gnt_path at = gnt_path_key(path, "by_round");
    gnt_tally_says says = tally_says(t, "the training ends with");
    if (!list)
        return 0;
    if (task && !json_object_get(task, "curve"))
        return gnt_fail(t->err, "%s: %s is there, but the task does not ask for it by utility.curve", t->file,
                        at.text);
    for (size_t i = 0; i < n; i++) {
        const double round = tally_number(json_array_get(list, i), "round");
        if (!(round >= 0) || (i > 0 && !(round > tally_number(json_array_get(list, i - 1), "round"))))
            return gnt_fail(t->err, "%s: %s is %s; expected rising rounds", t->file,
                            gnt_path_key(gnt_path_item(at.text, i).text, "round").text,
                            gnt_show(json_object_get(json_array_get(list, i), "round")).text);
    }
    const json_t *last = n ? json_array_get(list, n - 1) : NULL;
    const char *measure = tally_text(utility, "measure");
    if (!last || (task && tally_number(last, "round") != tally_number(task, "rounds")))
        return gnt_fail(t->err, "%s: %s does not end with the last round of the task", t->file, at.text);
    if (!gnt_tally_close(tally_number(utility, "value"), tally_number(last, measure), 0))
        return gnt_tally_differs(&says, gnt_path_key(path, "value").text, json_object_get(utility, "value"),
                                 json_object_get(last, measure));
    return 0;
}

/* Those told rightly, of all values, are the accuracy. */
static int check_by_value(const tally *t, const char *path, const json_t *utility) {
    const json_t *list = json_object_get(utility, "by_value"), *one;
    double n = 0, right = 0;
    size_t i;
    if (!list || strcmp(tally_text(utility, "measure"), "accuracy") != 0)
        return 0;
    json_array_foreach(list, i, one) {
        n += tally_number(one, "n");
        right += tally_number(one, "right");
    }
    if (!gnt_tally_close(tally_number(utility, "value"), right / n, 0))
        return gnt_fail(t->err, "%s: %s comes to an accuracy of %.6g, but %s is %s", t->file,
                        gnt_path_key(path, "by_value").text, right / n, gnt_path_key(path, "value").text,
                        gnt_show(json_object_get(utility, "value")).text);
    return 0;
}

/* Of pooled pixels F follows from the IoU. */
static int check_beside(const tally *t, const char *path, const json_t *utility) {
    const json_t *beside = json_object_get(utility, "beside");
    const gnt_path at = gnt_path_key(gnt_path_key(path, "beside").text, gnt_map_names[GNT_MAP_F]);
    const json_t *of_iou = json_object_get(beside, gnt_map_names[GNT_MAP_IOU]);
    const double iou = tally_number(of_iou ? of_iou : utility, "value"), should = 2 * iou / (1 + iou);
    const double f = tally_number(json_object_get(beside, gnt_map_names[GNT_MAP_F]), "value");
    if (!beside || gnt_tally_close(f, should, 0))
        return 0;
    return gnt_fail(t->err, "%s: %s is %.6g, but of an IoU of %.6g it is %.6g", t->file, at.text, f, iou,
                    should);
}

static int check_cell(const tally *t, size_t i, json_t *trainings, json_t *undefended) {
    const json_t *cell = json_array_get(t->cells, i);
    json_t *utility = json_object_get(cell, "utility");
    const gnt_path at = gnt_path_key(gnt_path_item("cells", i).text, "utility");
    gnt_tally_says says = tally_says(t, "an earlier cell of the same training has");
    if (!utility || json_is_null(utility))
        return 0;
    if (!json_is_object(utility))
        return gnt_fail(t->err, "%s: %s is %s; expected an object or null", t->file, at.text,
                        gnt_show(utility).text);
    if (!tally_is_ok(cell))
        return gnt_fail(t->err, "%s: %s is there, but the cell is %s, and only one that is ok has it",
                        t->file, at.text, gnt_show(json_object_get(cell, "status")).text);
    const char *measure = tally_text(tally_task(t, cell), "utility");
    if (*measure && strcmp(measure, tally_text(utility, "measure")) != 0)
        return gnt_fail(t->err, "%s: %s is %s, but the task measures %s", t->file,
                        gnt_path_key(at.text, "measure").text,
                        gnt_show(json_object_get(utility, "measure")).text, measure);
    if (check_by_round(t, cell, at.text, utility) != 0 || check_by_value(t, at.text, utility) != 0 ||
        check_beside(t, at.text, utility) != 0)
        return -1;
    const json_t *first = first_of(trainings, training_of(cell), utility);
    if (first && gnt_tally_same(&says, at.text, utility, first, 0, 0) != 0)
        return -1;
    json_t *none = json_object_get(utility, "none");
    char *key = gnt_format("%s/s%lld", tally_text(cell, "task"),
                           (long long)json_integer_value(json_object_get(cell, "seed")));
    first = first_of(undefended, key, none ? none : json_null());
    says.because = "an earlier cell of its task and seed has";
    if (first && gnt_tally_same(&says, gnt_path_key(at.text, "none").text, none, first, 0, 0) != 0)
        return -1;
    const double value = tally_number(utility, "value");
    says.because = "it is undefended, where its utility is";
    if (isfinite(tally_number(utility, "none")) && is_undefended(t, tally_text(cell, "defense")) &&
        !gnt_tally_close(value, tally_number(utility, "none"), 0))
        return gnt_tally_differs(&says, gnt_path_key(at.text, "none").text, none,
                                 json_object_get(utility, "value"));
    return 0;
}

int tally_check_trainings(const tally *t) {
    json_t *trainings = json_object(), *undefended = json_object();
    int rc = trainings && undefended ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t i = 0; rc == 0 && i < json_array_size(t->cells); i++)
        rc = check_cell(t, i, trainings, undefended);
    json_decref(trainings);
    json_decref(undefended);
    return rc;
}
