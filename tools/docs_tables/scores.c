#include "scores.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "metric/measure.h"
#include "judge/hook_seconds.h"

enum { MOST_HOST = 64 << 20, MOST_RUNS = 1 << 20 };

/* True if a line of `text` begins with `word` and a blank. */
static int begins_a_line(const char *text, const char *word) {
    const size_t n = strlen(word);
    while (*text) {
        if (!strncmp(text, word, n) && text[n] == ' ')
            return 1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return 0;
}

int scores_are_to_come(const char *run, gnt_err *err) {
    char *kept = gnt_format(BASELINES "/%s/scores.json", run);
    uint8_t *text = NULL;
    size_t size;
    int found = kept ? 0 : gnt_fail(err, "out of memory");
    if (!found && !strchr(run, '/') && !gnt_file_exists(kept) && gnt_file_exists(BASELINES "/runs.txt"))
        found = gnt_file_read(BASELINES "/runs.txt", MOST_RUNS, &text, &size, err);
    if (!found && text)
        found = begins_a_line((const char *)text, run);
    gnt_free(text);
    gnt_free(kept);
    return found;
}

/* Copies a member of `from`, or of the object `inside` of it, under a name of its own. */
static int copy(json_t *to, const char *name, const json_t *from, const char *inside, const char *key) {
    const json_t *object = inside ? json_object_get(from, inside) : from;
    json_t *value = json_object_get(object, key);
    return value ? json_object_set(to, name, value) : 0;
}

/* Returns what is kept of host.json; NULL when out of memory. */
static json_t *facts_of_host(const json_t *host) {
    const json_t *provenance = json_object_get(host, "provenance");
    const json_t *machine = json_object_get(provenance, "machine");
    json_t *facts = json_object();
    if (!facts || copy(facts, "version", provenance, "program", "version") ||
        copy(facts, "source", provenance, "program", "source") ||
        copy(facts, "dirty", provenance, "program", "dirty") || copy(facts, "cpu", machine, NULL, "cpu") ||
        copy(facts, "openblas", machine, "openblas", "core") ||
        copy(facts, "onednn", machine, NULL, "onednn") ||
        copy(facts, "cpu_seconds", host, NULL, "cpu_seconds") ||
        copy(facts, "jobs_from_store", host, NULL, "jobs_from_store") ||
        json_object_set_new(facts, "hooks", gnt_hook_seconds(host))) {
        json_decref(facts);
        return NULL;
    }
    return facts;
}

static json_t *read_host(const char *folder, gnt_err *err) {
    char *path = gnt_format("%s/host.json", folder);
    gnt_doc doc = {0};
    json_t *facts = NULL;
    if (!path) {
        gnt_fail(err, "%s: out of memory", folder);
    } else if (gnt_doc_load(&doc, path, MOST_HOST, err) == 0) {
        facts = facts_of_host(doc.root);
        if (!facts)
            gnt_fail(err, "%s: out of memory", path);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return facts;
}

/* Sets the measure of each group's utility to its task's: groups have it only through their cells, of
 * which few are kept. */
static void name_utilities(scores *s) {
    for (size_t i = 0; i < s->results.n_group; i++) {
        gnt_outcome *g = &s->results.group[i];
        const gnt_result_task *task = gnt_task_of(&s->results, g->task);
        if (!g->utility.measure[0] && task)
            g->utility.measure = task->utility;
    }
}

/* Reads the host.json of a kept run, which is in the same file. */
static int read_kept_host(scores *s, const char *kept, gnt_err *err) {
    json_t *all = json_load_file(kept, 0, NULL);
    s->host = json_incref(json_object_get(all, "host"));
    json_decref(all);
    return json_is_object(s->host) ? 0
                                   : gnt_fail(err, "%s: host: expected an object; keep the run again", kept);
}

/* Loads a folder's scores.json if it has one, else its results.json and host.json. */
static int load_folder(scores *s, const char *folder, gnt_err *err) {
    char *kept = gnt_format("%s/scores.json", folder), *whole = gnt_format("%s/results.json", folder);
    int failed = !kept || !whole ? gnt_fail(err, "%s: out of memory", folder) : 0;
    if (!failed && gnt_file_exists(kept)) {
        failed = gnt_results_load(&s->results, kept, err);
        if (!failed)
            failed = read_kept_host(s, kept, err);
    } else if (!failed) {
        failed = gnt_results_load(&s->results, whole, err);
        if (!failed) {
            s->host = read_host(folder, err);
            failed = s->host ? 0 : -1;
        }
    }
    gnt_free(kept);
    gnt_free(whole);
    return failed;
}

int scores_load(scores *s, const char *run, gnt_err *err) {
    *s = (scores){0};
    char *folder = strchr(run, '/') ? gnt_strdup(run) : gnt_format(BASELINES "/%s", run);
    int failed = folder ? 0 : gnt_fail(err, "%s: out of memory", run);
    if (!failed && !strchr(run, '/') && !gnt_file_exists(folder))
        failed = gnt_fail(err, "no run called %s is kept: there is no folder %s", run, folder);
    if (!failed)
        failed = load_folder(s, folder, err);
    gnt_free(folder);
    if (failed) {
        scores_free(s);
        return -1;
    }
    name_utilities(s);
    return 0;
}

void scores_free(scores *s) {
    json_decref(s->host);
    gnt_results_free(&s->results);
    *s = (scores){0};
}

int scores_is_counted(const gnt_results *r, const gnt_outcome *cell) {
    return cell->mode == GNT_ROW_NONE && cell->status == GNT_CELL_OK &&
           !gnt_facts_of(r, cell->task)->in_round && strcmp(cell->surface, "representation") != 0 &&
           cell->targets.n > 0 && isfinite(cell->targets.at[0].score[GNT_MEASURE_MSE]);
}

static int is_one_place(const gnt_result_equal *a, const gnt_result_equal *b) {
    return a->stage == b->stage && !strcmp(a->task, b->task) && !strcmp(a->defense, b->defense) &&
           !strcmp(a->attack, b->attack) && !strcmp(a->measure, b->measure);
}

int scores_compares_leakages(const gnt_results *r, size_t i) {
    static const gnt_measure_id shown[] = {GNT_MEASURE_ATTRIBUTE_BALANCED, GNT_MEASURE_PSNR,
                                           GNT_MEASURE_REGION_PSNR};
    const gnt_result_equals *list = &r->file->equal_leakage;
    const gnt_result_equal *row = &list->at[i];
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        if (!strcmp(row->measure, gnt_measure_of(shown[k])->name))
            return (i > 0 && is_one_place(row, row - 1)) || (i + 1 < list->n && is_one_place(row, row + 1));
    return 0;
}
