/* Which rounds of a training are observed, in ascending order: listed by the suite, or drawn under the run
 * key.
 *
 * The draw depends on the run key and the training alone. Its key has a role that no job has, so that no
 * process ever receives anything that reveals the rounds beforehand. */
#include <string.h>

#include "suite/suite_impl.h"

enum { DRAWN = 3, MOST_DRAWN = 16 };

/* ---- drawn ---- */

void gnt_suite_drawn_part(int64_t rounds, size_t n, size_t i, int64_t *from, int64_t *to) {
    *from = rounds * (int64_t)i / (int64_t)n;
    *to = rounds * (int64_t)(i + 1) / (int64_t)n;
}

/* Draws one round from each of n parts, as equal as possible, of 0 … rounds − 1; n ≤ rounds. */
static void draw(int64_t *stages, size_t n, int64_t rounds, const gnt_key *run, const char *training) {
    const gnt_key of_role = gnt_key_derive(run, "observe"), key = gnt_key_derive(&of_role, training);
    gnt_stream random = gnt_stream_open(&key, "rounds");
    for (size_t i = 0; i < n; i++) {
        int64_t from, to;
        gnt_suite_drawn_part(rounds, n, i, &from, &to);
        stages[i] = from + (int64_t)gnt_random_below(&random, (uint64_t)(to - from));
    }
}

/* Takes the rounds that a run drew under a key that is not here; one outside of its part is moved into it. */
static void take_drawn(const gnt_suite_env *env, gnt_suite_task *t) {
    const int64_t *given = env->rounds ? env->rounds(env->rounds_context, t->id, t->n_stages) : NULL;
    for (size_t i = 0; i < t->n_stages; i++) {
        int64_t from, to;
        gnt_suite_drawn_part(t->federated.rounds, t->n_stages, i, &from, &to);
        t->stages[i] = !given || given[i] < from ? from : given[i] >= to ? to - 1 : given[i];
    }
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
    if (r->s->key_unknown)
        take_drawn(r->env, t);
    else
        draw(t->stages, t->n_stages, rounds, &r->s->key, t->trained_as);
    return 0;
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
