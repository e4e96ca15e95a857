/* Which rounds of a training are observed, in ascending order: listed by the suite, or drawn under the run
 * key, for each training run on its own.
 *
 * A draw depends on the run key, the task's training and the seed alone. Its key has a role that no job has,
 * so that no process ever receives anything that reveals the rounds beforehand. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "suite/suite_impl.h"

enum { DRAWN = 3, MOST_DRAWN = 16 };

/* ---- drawn ---- */

void gnt_suite_drawn_part(int64_t rounds, size_t n, size_t i, int64_t *from, int64_t *to) {
    *from = rounds * (int64_t)i / (int64_t)n;
    *to = rounds * (int64_t)(i + 1) / (int64_t)n;
}

/* Draws a round from each part of the training, by the stream of that name. */
static void draw(int64_t *round, const gnt_suite_task *t, const gnt_key *run, const char *name) {
    const gnt_key of_role = gnt_key_derive(run, "observe"), key = gnt_key_derive(&of_role, t->trained_as);
    gnt_stream random = gnt_stream_open(&key, name);
    for (size_t i = 0; i < t->n_stages; i++) {
        int64_t from, to;
        gnt_suite_drawn_part(t->federated.rounds, t->n_stages, i, &from, &to);
        round[i] = from + (int64_t)gnt_random_below(&random, (uint64_t)(to - from));
    }
}

/* Returns the first task that shares a task's training and draws as many rounds of it: the same ones. */
static const gnt_suite_task *first_of_draw(const gnt_suite *s, const gnt_suite_task *t) {
    const gnt_suite_task *first = s->task;
    while (first != t &&
           (first->stages_drawn != t->stages_drawn || strcmp(first->trained_as, t->trained_as) != 0))
        first++;
    return first;
}

/* Takes the rounds of one training run that were drawn under a key that is not here; one outside of its part
 * is moved into it. */
static void take_drawn(int64_t *round, const suite_reader *r, const gnt_suite_task *t, uint64_t seed) {
    const gnt_suite_env *env = r->env;
    const char *task = first_of_draw(r->s, t)->id;
    for (size_t i = 0; i < t->n_stages; i++) {
        int64_t from, to;
        const int64_t given = env->round ? env->round(env->round_context, task, seed, t->stages[i]) : -1;
        gnt_suite_drawn_part(t->federated.rounds, t->n_stages, i, &from, &to);
        round[i] = given < from ? from : given >= to ? to - 1 : given;
    }
}

/* Draws the rounds of each training run, which are called by number. */
static int draw_each(suite_reader *r, gnt_suite_task *t) {
    t->drawn = gnt_array(r->s->n_seeds * t->n_stages, sizeof *t->drawn);
    if (!t->drawn)
        return suite_no_memory(r);
    for (size_t i = 0; i < t->n_stages; i++)
        t->stages[i] = (int64_t)i + 1;
    for (size_t i = 0; i < r->s->n_seeds; i++) {
        int64_t *round = t->drawn + i * t->n_stages;
        char name[32];
        snprintf(name, sizeof name, "rounds s%" PRIu64, r->s->seeds[i]);
        if (r->s->key_unknown)
            take_drawn(round, r, t, r->s->seeds[i]);
        else
            draw(round, t, &r->s->key, name);
    }
    return 0;
}

/* Draws the rounds that all training runs of a version before had. */
static int draw_once(const suite_reader *r, gnt_suite_task *t) {
    for (size_t i = 0; i < t->n_stages; i++)
        t->stages[i] = (int64_t)i + 1;
    if (r->s->key_unknown)
        take_drawn(t->stages, r, t, 0);
    else
        draw(t->stages, t, &r->s->key, "rounds");
    return 0;
}

/* Reads "drawn", {"drawn": N}, or NULL for the default. */
static int read_drawn(suite_reader *r, const char *path, const json_t *value, gnt_suite_task *t) {
    int64_t wanted = DRAWN, rounds = t->federated.rounds;
    if (json_is_string(value) && strcmp(json_string_value(value), "drawn") != 0)
        return suite_fail(r, path, "is %s; expected \"drawn\", {\"drawn\": 3}, or a list of rounds",
                          gnt_show(value).text);
    if (!r->modes.round)
        return suite_fail(
            r, path,
            "draws the rounds whose updates are observed, but nothing here is observed in a round; "
            "expected a list of rounds, or \"from\": \"round\" in observe");
    if (json_is_object(value) &&
        (suite_keys(r, path, value, "drawn") ||
         suite_need(r, path, value, "drawn", "how many rounds, such as {\"drawn\": 3}") ||
         suite_int(r, path, value, "drawn", 1, MOST_DRAWN, &wanted)))
        return -1;
    t->n_stages = (size_t)(wanted < rounds ? wanted : rounds);
    t->stages_drawn = (int)t->n_stages;
    t->stages = gnt_array(t->n_stages, sizeof *t->stages);
    if (!t->stages)
        return suite_no_memory(r);
    return r->env->draws_once ? draw_once(r, t) : draw_each(r, t);
}

const int64_t *gnt_suite_rounds(const gnt_suite *s, const gnt_suite_task *t, uint64_t seed) {
    size_t i = 0;
    while (i < s->n_seeds && s->seeds[i] != seed)
        i++;
    return !t->drawn ? t->stages : i < s->n_seeds ? t->drawn + i * t->n_stages : NULL;
}

/* ---- named ---- */

static int read_named(suite_reader *r, const char *path, const json_t *value, int64_t least, int64_t *stage,
                      const gnt_suite_task *t) {
    int64_t rounds = t->federated.rounds, last = r->modes.round ? rounds - 1 : rounds;
    if (suite_int_at(r, path, value, 0, 1000000, stage))
        return -1;
    if (*stage > rounds)
        return suite_fail(r, path,
                          "is %lld, but the task trains for %lld rounds; expected 0 to %lld; or raise "
                          "federated.rounds",
                          (long long)*stage, (long long)rounds, (long long)last);
    if (*stage > last)
        return suite_fail(
            r, path,
            "is %lld, but nothing is sent after the last of %lld rounds; expected the round that an "
            "observed update is computed in, 0 to %lld, or \"from\": \"probe\" in observe, also of tasks "
            "like this one",
            (long long)*stage, (long long)rounds, (long long)last);
    if (*stage <= least)
        return suite_fail(r, path, "is %lld, after %lld; expected rising rounds, each once",
                          (long long)*stage, (long long)least);
    return 0;
}

int suite_read_stages(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL, *value = json_object_get(object, "stages");
    const gnt_path at = gnt_path_key(path, "stages");
    if (json_is_string(value) || json_is_object(value) || (!value && r->modes.round))
        return read_drawn(r, at.text, value, t);
    if (suite_list(r, path, object, "stages", 1, GNT_SUITE_MOST_LIST, &list))
        return -1;
    size_t n = list ? json_array_size(list) : 1;
    t->stages = gnt_array(n, sizeof *t->stages);
    if (!t->stages)
        return suite_no_memory(r);
    t->n_stages = n;
    t->stages[0] = t->federated.rounds;
    for (size_t i = 0; list && i < n; i++)
        if (read_named(r, gnt_path_item(at.text, i).text, json_array_get(list, i), i ? t->stages[i - 1] : -1,
                       &t->stages[i], t))
            return -1;
    return 0;
}
