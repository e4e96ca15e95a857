/* Marks of a cell: what the host found wrong with its defense, from records that no plugin could write. */
#include <string.h>

#include "base/mem.h"
#include "metric/elsewhere.h"
#include "metric/secret.h"
#include "run/run_impl.h"

typedef struct marks {
    gnt_mark *at;
    size_t n;
    gnt_arena *arena;
} marks;

static void add(marks *m, const char *what, const char *says) {
    if (GNT_GROW(m->at, m->n) == 0)
        m->at[m->n++] = (gnt_mark){gnt_arena_text(m->arena, what), gnt_arena_text(m->arena, says)};
}

/* Adds the marks that a job left in the metadata of an output. */
static void add_from(marks *list, const json_t *metadata) {
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(metadata, "marks"), i, one) {
        const char *what = json_string_value(json_object_get(one, "what"));
        const char *says = json_string_value(json_object_get(one, "says"));
        if (what && says)
            add(list, what, says);
    }
}

/* Adds what recomputing the updates of all observed rounds found: a defense may do in any what it does in
 * one. */
static void add_replay(marks *list, const run *r, const run_cell *c) {
    gnt_err text;
    if (c->jobs.replay->state != RUN_OK) {
        gnt_fail(&text, "what was observed could not be computed again: %s",
                 c->jobs.replay->ending.reason ? c->jobs.replay->ending.reason : "the job failed");
        add(list, "not-reproducible", text.text);
        return;
    }
    json_t *all = run_metadata(r, c->jobs.replay, "replay");
    const json_t *differs = json_object_get(all, "differs"), *first = json_array_get(differs, 0);
    if (!json_is_array(differs))
        add(list, "not-reproducible", "what was computed again cannot be read back from the store");
    else if (first) {
        const char *says = json_string_value(json_object_get(first, "says"));
        gnt_fail(&text,
                 "%zu of %lld observed updates are not what their clients compute from their own data alone; "
                 "client %lld "
                 "in round %lld: %s",
                 json_array_size(differs), (long long)json_integer_value(json_object_get(all, "checked")),
                 (long long)json_integer_value(json_object_get(first, "client")),
                 (long long)json_integer_value(json_object_get(first, "round")), says ? says : "");
        add(list, "not-reproducible", text.text);
    }
    json_decref(all);
}

/* Adds a mark if the defense leaves a good model although its clients' labels were those of others, so that
 * the model comes from elsewhere (metric/elsewhere.h). An undefended training with such labels learnt nothing
 * either. One that fails there alone may have distinguished the two. */
static void add_shuffled(marks *list, const run *r, const run_cell *c) {
    gnt_measured nothing[3], left, with = {c->utility, c->utility_error};
    run_control of;
    gnt_err text;
    if (c->jobs.shuffled_none->state != RUN_OK)
        return;
    if (c->jobs.shuffled->state != RUN_OK) {
        gnt_fail(&text, "it fails where its clients' samples have the labels of others: %s",
                 c->jobs.shuffled->ending.reason ? c->jobs.shuffled->ending.reason : "the job failed");
        add(list, "not-from-the-data", text.text);
        return;
    }
    run_control_utility(r, c->jobs.shuffled_none, &of, list->arena);
    left.value = run_utility(r, c->jobs.shuffled, &left.error);
    nothing[0].value = run_utility(r, c->jobs.shuffled_none, &nothing[0].error);
    nothing[1] = of.untrained;
    nothing[2] = of.constant;
    const gnt_measured best = gnt_metric_best(nothing, sizeof nothing / sizeof *nothing, 1);
    if (!gnt_metric_leaves_half(&with, &left, &best, 1))
        return;
    gnt_fail(
        &text,
        "trained on clients whose samples have the labels of others it leaves an accuracy of %.1f %%, "
        "where a model that learnt nothing has at most %.1f %% and it leaves %.1f %% with their own: the "
        "model does not come from their data",
        100 * left.value, 100 * best.value, 100 * with.value);
    add(list, "not-from-the-data", text.text);
}

/* Adds a mark if the defense did not learn from clients what no defense learns from them, where a secret rule
 * changes labels of both (metric/secret.h), or fails there. */
static void add_secret(marks *list, const run *r, const run_cell *c) {
    run_secret of;
    gnt_err text;
    if (c->jobs.secret_none->state != RUN_OK)
        return;
    if (c->jobs.secret->state != RUN_OK) {
        gnt_fail(&text, "it fails where a secret rule changes labels: %s",
                 c->jobs.secret->ending.reason ? c->jobs.secret->ending.reason : "the job failed");
        add(list, "not-from-the-labels", text.text);
        return;
    }
    if (!run_secret_learnt(r, c->jobs.secret, c->jobs.secret_none, &of) ||
        !gnt_metric_secret_missed(&of.own, &of.none, &of.untrained))
        return;
    gnt_fail(&text,
             "of a secret rule on the labels of a tenth of the clients' samples its model learnt %.1f "
             "%%, where no defense learns %.1f %% once it is as accurate: the model does not come "
             "from what clients have",
             100 * of.own.learnt, 100 * of.none.learnt);
    add(list, "not-from-the-labels", text.text);
}

/* Adds a mark if the model stays as good where no update was what its client sent (metric/elsewhere.h). */
static void add_control(marks *list, const run *r, const run_cell *c) {
    const int sign = c->jobs.train->utility_kind == GNT_UTILITY_LOSS ? -1 : 1;
    const gnt_measured with = {c->utility, c->utility_error};
    run_control of;
    gnt_err text;
    if (!run_control_utility(r, c->jobs.train, &of, list->arena))
        return;
    if (of.refused) {
        gnt_fail(&text, "its server fails where no update is what its client sent: %s", of.refused);
        add(list, "not-from-the-updates", text.text);
        return;
    }
    const gnt_measured nothing[] = {of.untrained, of.constant},
                       best = gnt_metric_best(nothing, sizeof nothing / sizeof *nothing, sign);
    if (!gnt_metric_leaves_all(&with, &of.left, &best, sign))
        return;
    gnt_fail(&text,
             "where no update is what its client sent, the utility is %.4g, with the updates %.4g, and that "
             "of a model that learnt nothing %.4g: the model does not come from what clients send",
             of.left.value, with.value, best.value);
    add(list, "not-from-the-updates", text.text);
}

/* Adds what was found when hooks ran again, in a probe or on shadow rows, and acted otherwise than in the
 * training. */
static void add_compared(marks *list, const run *r, const run_job *observed) {
    if (!observed || !observed->stored.record || !gnt_store_digest(observed->stored.record, "compared"))
        return;
    json_t *all = run_metadata(r, observed, "compared");
    add_from(list, all);
    json_decref(all);
}

gnt_marks run_marks_of(run *r, const run_cell *c) {
    marks list = {.arena = &r->memory};
    add_compared(&list, r, run_job_input(c->jobs.score, "seen"));
    add_compared(&list, r, run_job_input(run_job_input(c->jobs.attack, "artefacts"), "shadow_seen"));
    if (c->jobs.shuffled && c->jobs.shuffled_none)
        add_shuffled(&list, r, c);
    if (c->jobs.secret && c->jobs.secret_none)
        add_secret(&list, r, c);
    if (c->jobs.replay)
        add_replay(&list, r, c);
    add_control(&list, r, c);
    json_t *record = run_record_of(r, c->jobs.train);
    add_from(&list, record);
    json_decref(record);
    for (size_t i = 0; i < c->found.marks.n; i++)
        add(&list, c->found.marks.at[i].what, c->found.marks.at[i].says);
    const gnt_mark *all = list.n ? gnt_arena_copy(&r->memory, list.at, list.n, sizeof *list.at) : NULL;
    gnt_free(list.at);
    return (gnt_marks){all, all ? list.n : 0};
}
