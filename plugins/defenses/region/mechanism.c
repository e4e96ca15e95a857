#include "mechanism.h"

#include <math.h>
#include <stdio.h>

#include "shared/dp/epsilon_facts.h"
#include "shared/try.h"

const char *const mechanism_sensitivities[] = {"clip", "sample", NULL};

static const double least_score = 1e-12; /* of the largest */

void mechanism_split(double epsilon, const double *score, int32_t n, double *out) {
    double largest = 0, sum = 0;
    for (int32_t l = 0; l < n; l++)
        largest = score[l] > largest ? score[l] : largest;
    if (!(largest > 0)) {
        mechanism_split_evenly(epsilon, n, out);
        return;
    }
    for (int32_t l = 0; l < n; l++)
        sum += out[l] = 1 / fmax(score[l] / largest, least_score);
    for (int32_t l = 0; l < n; l++)
        out[l] *= epsilon / sum;
}

void mechanism_split_evenly(double epsilon, int32_t n, double *out) {
    for (int32_t l = 0; l < n; l++)
        out[l] = epsilon / n;
}

double mechanism_clip(const mechanism *m, int32_t layer) {
    return layer < m->clips.n ? m->clips.at[layer] : m->clip;
}

gnt_status mechanism_fits(const gnt_host *host, const mechanism *m, int32_t n) {
    char why[200];
    if (m->clips.n == 0 || m->clips.n == n)
        return GNT_OK;
    snprintf(why, sizeof why,
             "clips has %lld bounds; expected one for each of the %d layers of the update, or none",
             (long long)m->clips.n, (int)n);
    return unsupported(host, why);
}

double mechanism_sigma(double epsilon, double delta, double rounds) {
    return sqrt(2 * rounds * log(1 / delta)) / epsilon;
}

/* S, in units of the clip. */
static double mechanism_share(const mechanism *m, const gnt_client *client) {
    const double samples = client->n_samples > 1 ? (double)client->n_samples : 1;
    return m->sensitivity == SENSITIVITY_SAMPLE ? 2 / samples : 1;
}

/* What one update is made of, layer by layer; scratch. */
typedef struct counted {
    double *squares; /* ‖g_l‖², then that of what is left of it */
    double *entries;
    double *deviation; /* of the noise, in units of the clip */
} counted;

static gnt_status count(const gnt_host *host, const layers *l, const gnt_tensors *update, counted *out) {
    double *room = gnt_host_scratch(host, 3 * (l->n > 0 ? l->n : 1), sizeof *room);
    TRY(have_memory(host, room != NULL, "no memory for the norms of layers"));
    *out = (counted){room, room + l->n, room + 2 * l->n};
    for (int64_t k = 0; k < update->n; k++) {
        const gnt_tensor *t = &update->tensor[k];
        out->entries[l->of[k]] += (double)t->count;
        for (int64_t i = 0; i < t->count; i++)
            out->squares[l->of[k]] += (double)t->data[i] * (double)t->data[i];
    }
    for (int32_t i = 0; i < l->n; i++)
        if (!isfinite(out->squares[i]))
            return gnt_host_fail(host, "the update holds NaN or infinite entries, which cannot be clipped");
    return GNT_OK;
}

static void scale(gnt_tensor *t, double factor) {
    for (int64_t i = 0; i < t->count; i++)
        t->data[i] = (float)(factor * (double)t->data[i]);
}

/* Returns how many layers were shortened. Each product is rounded to a float, which may lengthen it by 2⁻²⁴:
 * twice that is taken off, so that the bound holds for what is released. */
static int32_t clip(const mechanism *m, const layers *l, counted *c, gnt_tensors *update) {
    int32_t shortened = 0;
    for (int32_t i = 0; i < l->n; i++) {
        const double norm = sqrt(c->squares[i]);
        const double bound = mechanism_clip(m, i);
        if (norm <= bound)
            continue;
        for (int64_t k = 0; k < update->n; k++)
            if (l->of[k] == i)
                scale(&update->tensor[k], bound / norm * (1 - 0x1p-23));
        c->squares[i] = bound * bound;
        shortened++;
    }
    return shortened;
}

gnt_status mechanism_add_noise(const gnt_host *host, gnt_tensor *t, double deviation, float *noise) {
    char stream[200];
    snprintf(stream, sizeof stream, "noise %s", t->name);
    for (int64_t from = 0; from < t->count; from += MECHANISM_CHUNK) {
        const int64_t n = t->count - from < MECHANISM_CHUNK ? t->count - from : MECHANISM_CHUNK;
        TRY(may_go_on(host));
        gnt_host_normal(host, stream, n, noise);
        for (int64_t i = 0; i < n; i++)
            t->data[from + i] = (float)((double)t->data[from + i] + deviation * (double)noise[i]);
    }
    return GNT_OK;
}

static void report(const gnt_host *host, const mechanism *m, const gnt_client *client, const layers *l,
                   const double *epsilon, const counted *c, int32_t shortened) {
    double claimed = 0, inverse = 0, noise = 0, signal = 0;
    for (int32_t i = 0; i < l->n; i++) {
        const double deviation = mechanism_clip(m, i) * c->deviation[i];
        claimed += epsilon[i];
        inverse += 1 / (c->deviation[i] * c->deviation[i]);
        noise += c->entries[i] * deviation * deviation;
        signal += c->squares[i];
    }
    gnt_host_fact(host, "epsilon_claimed", claimed);
    gaussian_epsilon_facts(host, client, m->delta, sqrt(inverse));
    gnt_host_fact(host, "clipped", l->n ? (double)shortened / (double)l->n : 0);
    if (signal > 0)
        gnt_host_fact(host, "noise_to_signal", sqrt(noise / signal));
}

gnt_status mechanism_apply(const gnt_host *host, const mechanism *m, const gnt_client *client,
                           const layers *l, const double *epsilon, gnt_tensors *update) {
    const double rounds = client->rounds > 1 ? client->rounds : 1;
    counted c = {0};
    TRY(mechanism_fits(host, m, l->n));
    gnt_status status = count(host, l, update, &c);
    if (status != GNT_OK)
        return status;
    for (int32_t i = 0; i < l->n; i++)
        c.deviation[i] = mechanism_share(m, client) * mechanism_sigma(epsilon[i], m->delta / l->n, rounds);
    float *noise = gnt_host_scratch(host, MECHANISM_CHUNK, sizeof *noise);
    TRY(have_memory(host, noise != NULL, "no memory for the noise"));
    const int32_t shortened = clip(m, l, &c, update);
    for (int64_t k = 0; k < update->n && status == GNT_OK; k++)
        status = mechanism_add_noise(host, &update->tensor[k],
                                     mechanism_clip(m, l->of[k]) * c.deviation[l->of[k]], noise);
    if (status == GNT_OK)
        report(host, m, client, l, epsilon, &c, shortened);
    return status;
}
