#include "loda_attack.h"

#include <string.h>

#include "shared/try.h"

gnt_status attack_open(attack_job *j, const gnt_host *host, const gnt_observation *seen,
                       const inversion *like, int64_t n) {
    *j = (attack_job){.host = host, .inversion = *like};
    TRY(known_open(&j->known, host, seen));
    j->inversion.c = j->known.c;
    j->x = gnt_host_scratch(host, n * j->known.g.pixels, sizeof *j->x);
    if (!j->x)
        return gnt_host_fail(host, "no memory for a batch: set \"batch\" lower");
    j->search = (search){
        .host = host, .n = n, .pixels = j->known.g.pixels, .cost = inversion_cost, .context = &j->inversion};
    return inversion_open(&j->inversion, &j->known, n);
}

void attack_close(attack_job *j) {
    inversion_close(&j->inversion);
}

static void report_costs(const attack_job *j, const gnt_answer *answer, const double *total, int64_t images) {
    int64_t steps = j->search.steps;
    for (int64_t step = 0; step <= steps; step++)
        answer->cost(answer->context, 0, step, total[step] / (double)images);
    answer->chosen(answer->context, 0, total[steps] / (double)images);
    gnt_answer_ended(answer, GNT_ENDED_BUDGET, steps);
}

gnt_status attack_answer(attack_job *j, const gnt_observation *seen, const gnt_answer *answer,
                         attack_start start, void *context) {
    const gnt_host *host = j->host;
    const int64_t pixels = j->known.g.pixels, batch = j->inversion.n;
    const size_t bytes = (size_t)pixels * sizeof(float);
    int64_t n;
    gnt_status s = known_targets(&j->known, seen, &n);
    if (s != GNT_OK)
        return s;
    float *found = gnt_host_scratch(host, n, bytes);
    float *encoded = gnt_host_scratch(host, batch, bytes);
    double *total = gnt_host_scratch(host, j->search.steps + 1, sizeof *total);
    TRY(have_memory(host, found && encoded && total, "no memory for the images of a set"));
    j->search.all = (double)((n + batch - 1) / batch * j->search.steps);
    for (int64_t from = 0; s == GNT_OK && from < n; from += batch) {
        for (int64_t i = 0; i < batch; i++)
            memcpy(encoded + i * pixels, seen->encoded->x + (from + i < n ? from + i : n - 1) * pixels,
                   bytes);
        start(context, encoded, batch, j->x);
        s = inversion_set(&j->inversion, encoded);
        if (s == GNT_OK)
            s = search_run(&j->search, j->x, total);
        j->search.done += (double)j->search.steps;
        memcpy(found + from * pixels, j->x, (size_t)(n - from < batch ? n - from : batch) * bytes);
    }
    if (s != GNT_OK)
        return s;
    report_costs(j, answer, total, (n + batch - 1) / batch * batch);
    return answer->reconstruction(answer->context, n, found);
}

gnt_status attack_pairs(const gnt_host *host, const gnt_attack_prepare *in, int64_t pixels, int64_t most,
                        attack_pair **pair, int64_t *n) {
    *n = 0;
    *pair = gnt_host_scratch(host, most, sizeof **pair);
    TRY(have_memory(host, *pair != NULL, "no memory for the list of pairs"));
    for (int64_t j = 0; in->shadow && j < in->n_shadow; j++) {
        const gnt_samples *e = in->shadow[j]->encoded, *x = in->shadow_truth[j];
        for (int64_t i = 0; e && e->x && x->x && i < e->n && *n < most; i++) {
            int64_t source = e->id ? e->id[i] : i;
            if (source >= 0 && source < x->n && e->features == pixels && x->features == pixels)
                (*pair)[(*n)++] = (attack_pair){e->x + i * pixels, x->x + source * pixels};
        }
    }
    return GNT_OK;
}

static void note_error(void *watcher, int64_t step, const float *x) {
    attack_trial *t = watcher;
    const int64_t pixels = t->job->known.g.pixels;
    for (int k = 0; k < t->n_stops; k++)
        for (int64_t i = 0; t->stop[k] == step && i < t->n; i++)
            for (int64_t p = 0; p < pixels; p++) {
                double d = (double)(x[i * pixels + p] - t->pair[i].x[p]);
                t->error[k] += d * d;
            }
}

gnt_status attack_trial_open(attack_trial *t, attack_job *job, const attack_pair *pair, int64_t n,
                             const int64_t *stop, int n_stops) {
    const gnt_host *host = job->host;
    const size_t pixels = (size_t)job->known.g.pixels;
    *t = (attack_trial){.job = job, .pair = pair, .n = n, .stop = stop, .n_stops = n_stops};
    job->search.steps = stop[n_stops - 1];
    t->encoded = gnt_host_scratch(host, n * pixels, sizeof *t->encoded);
    t->start = gnt_host_scratch(host, n * pixels, sizeof *t->start);
    t->total = gnt_host_scratch(host, job->search.steps + 1, sizeof *t->total);
    TRY(have_memory(host, t->encoded && t->start && t->total,
                    "no memory for the search on shadow observations"));
    for (int64_t i = 0; i < n; i++)
        memcpy(t->encoded + i * job->known.g.pixels, pair[i].encoded, pixels * sizeof *t->encoded);
    job->search.watch = note_error;
    job->search.watcher = t;
    return GNT_OK;
}

gnt_status attack_trial_run(attack_trial *t) {
    attack_job *j = t->job;
    memset(t->error, 0, sizeof t->error);
    memcpy(j->x, t->start, (size_t)(t->n * j->known.g.pixels) * sizeof *j->x);
    note_error(t, 0, j->x);
    TRY(inversion_set(&j->inversion, t->encoded));
    TRY(search_run(&j->search, j->x, t->total));
    j->search.done += (double)j->search.steps;
    return GNT_OK;
}
