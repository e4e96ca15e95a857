#include "learnt.h"
#include "shared/by_name.h"
#include "shared/try.h"

static int is_image(const gnt_samples *s) {
    return s && s->x && s->rank == 3;
}

/* Returns the sample of the batch with the largest share in encoding i; −1 if its id names none. */
static int64_t source_of(const gnt_samples *encoded, int64_t i, int64_t n) {
    const int64_t id = encoded->id ? encoded->id[i] : i;
    return id >= 0 && id < n ? id : -1;
}

static int64_t count_pairs(const gnt_attack_prepare *in) {
    int64_t n = 0;
    for (int64_t j = 0; j < in->n_shadow; j++) {
        const gnt_samples *e = in->shadow[j]->encoded;
        for (int64_t i = 0; is_image(e) && is_image(in->shadow_truth[j]) && i < e->n; i++)
            n += source_of(e, i, in->shadow_truth[j]->n) >= 0;
    }
    return n;
}

static void fill(learnt_pairs *p, const gnt_attack_prepare *in) {
    int64_t at = 0;
    for (int64_t j = 0; j < in->n_shadow; j++) {
        const gnt_samples *e = in->shadow[j]->encoded, *x = in->shadow_truth[j];
        for (int64_t i = 0; is_image(e) && is_image(x) && i < e->n; i++) {
            const int64_t source = source_of(e, i, x->n);
            if (source >= 0)
                p->pair[at++] = (learnt_pair){e->x + i * e->features, e->y ? e->y + i * e->classes : NULL,
                                              x->x + source * x->features};
        }
    }
}

static void shuffle(learnt_pairs *p, const gnt_host *host) {
    for (int64_t i = p->n - 1; i > 0; i--) {
        const int64_t k = (int64_t)gnt_host_below(host, "pairs", (uint64_t)i + 1);
        const learnt_pair kept = p->pair[i];
        p->pair[i] = p->pair[k];
        p->pair[k] = kept;
    }
}

gnt_status learnt_pairs_make(learnt_pairs *p, const gnt_host *host, const gnt_attack_prepare *in) {
    *p = (learnt_pairs){.n = in->n_shadow > 0 && in->shadow ? count_pairs(in) : 0};
    if (p->n < 2)
        return gnt_host_fail(host,
                             "it learns from pairs of images and their encodings, and there are fewer than "
                             "two; grant shadow_observations and raise shadow.observations"),
               GNT_UNSUPPORTED;
    p->pair = gnt_host_scratch(host, p->n, sizeof *p->pair);
    TRY(have_memory(host, p->pair != NULL, "no memory for the list of pairs"));
    fill(p, in);
    shuffle(p, host);
    const gnt_samples *x = in->shadow_truth[0];
    p->channels = x->dim[0];
    p->height = x->dim[1];
    p->width = x->dim[2];
    p->classes = x->classes;
    return GNT_OK;
}

gnt_status learnt_targets(const gnt_host *host, const gnt_observation *seen, int64_t features, int64_t *n) {
    const gnt_samples *e = seen->encoded;
    if (!is_image(e) || e->n < 1)
        return unsupported(host, "it reads encoded images, and none was observed");
    if (e->features != features)
        return gnt_host_fail(host, "its artefacts were learnt on encodings of another shape");
    *n = e->n < seen->n ? e->n : seen->n;
    return GNT_OK;
}

const float *learnt_artefact(const gnt_host *host, const gnt_artefacts *own, const char *name,
                             int64_t count) {
    const float *found = artefact_of(own, name, count);
    if (!found)
        gnt_host_fail(host, "its artefacts are not those of this task: they were learnt on another one");
    return found;
}
