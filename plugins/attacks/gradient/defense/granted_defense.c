#include "defense/granted_defense.h"
#include "hook.h"

#include <math.h>
#include <string.h>

#include "shared/by_name.h"
#include "shared/choose/choose_layers.h"

enum {
    MEMBER_NONE,
    MEMBER_GAUSSIAN,
    MEMBER_LAPLACE,
    MEMBER_CLIP,
    MEMBER_FEDAVG,
    MEMBER_PRUNE,
    MEMBER_SOTERIA,
    MEMBER_FEDRE,
    MEMBER_FEDRE_SAMPLE,
    MEMBER_UNIFORM,
    MEMBERS
};
enum { HEAD = 3 };

/* `head`: the parameters with which a member's values begin among those of the chain. */
static const struct {
    const char *id, *head[HEAD];
} members[MEMBERS] = {
    [MEMBER_NONE] = {"none", {NULL}},
    [MEMBER_GAUSSIAN] = {"dp-gaussian", {"sigma", "clip", "clip_mode"}},
    [MEMBER_LAPLACE] = {"dp-laplace", {"b", "clip", "clip_mode"}},
    [MEMBER_CLIP] = {"clip", {"bound", "clip_mode"}},
    [MEMBER_FEDAVG] = {"dp-fedavg", {"noise_multiplier", "clip", "delta"}},
    [MEMBER_PRUNE] = {"prune", {"p", "scope"}},
    [MEMBER_SOTERIA] = {"soteria", {"p", "layer", "ranking"}},
    [MEMBER_FEDRE] = {"fedre", {"epsilon", "clip", "delta"}},
    [MEMBER_FEDRE_SAMPLE] = {"fedre-sample", {"epsilon", "clip", "delta"}},
    [MEMBER_UNIFORM] = {"uniform", {"epsilon", "clip", "delta"}},
};

/* The values of a chain from some place on. */
typedef struct value_list {
    const gnt_value *at;
    int64_t n;
} value_list;

/* ---- which values belong to which member ---- */

/* Returns the member whose id is the first `length` characters of chain, or MEMBERS for any other plugin. */
static int member_at(const char *chain, size_t length) {
    int m = 0;
    while (m < MEMBERS && (strlen(members[m].id) != length || strncmp(members[m].id, chain, length) != 0))
        m++;
    return m;
}

static int begins_with(value_list v, const char *const *head) {
    for (int i = 0; i < HEAD && head[i]; i++)
        if (i >= v.n || strcmp(v.at[i].id, head[i]) != 0)
            return 0;
    return 1;
}

/* Returns the values from the member's first one on; n is 0 if it has none. */
static value_list values_of(int member, value_list v) {
    while (v.n > 0 && !begins_with(v, members[member].head))
        v = (value_list){v.at + 1, v.n - 1};
    return v;
}

static int is_text(const gnt_value *v, const char *text) {
    return v && v->text && strcmp(v->text, text) == 0;
}

/* ---- the law of a member ---- */

static int clip_mode_of(const gnt_value *mode) {
    return is_text(mode, "none")         ? NOISE_CLIP_NONE
           : is_text(mode, "per_tensor") ? NOISE_CLIP_PER_TENSOR
                                         : NOISE_CLIP_GLOBAL;
}

/* Returns the law of a member that adds noise; NOISE_NONE if its scale or its clip is not above 0. */
static noise_law noise_of(int member, value_list own) {
    const gnt_value *scale = &own.at[0], *clip = &own.at[1], *mode = &own.at[2],
                    *mean = value_of(own.at, own.n, "mu");
    const int laplace = member == MEMBER_LAPLACE;
    if (!(scale->r > 0) || !(clip->r > 0))
        return (noise_law){.kind = NOISE_NONE};
    return (noise_law){.kind = laplace ? NOISE_LAPLACE : NOISE_GAUSSIAN,
                       .scale = scale->r,
                       .mean = mean ? mean->r : 0,
                       .clip = clip->r,
                       .clip_mode = clip_mode_of(mode),
                       .l1 = laplace && is_text(value_of(own.at, own.n, "norm"), "l1")};
}

/* Returns the law of the member clip, or of dp-fedavg, whose clients clip the whole update and whose noise no
 * update has; NOISE_CLIP_NONE if there is no bound. */
static noise_law clip_of(int member, value_list own) {
    const int fedavg = member == MEMBER_FEDAVG;
    const double bound = own.at[fedavg ? 1 : 0].r;
    if (!(bound > 0))
        return (noise_law){0};
    return (noise_law){.clip = bound, .clip_mode = fedavg ? NOISE_CLIP_GLOBAL : clip_mode_of(&own.at[1])};
}

typedef struct reading {
    granted_defense granted;
    value_list left; /* of members that are not read yet */
    int members, noisy;
} reading;

/* Adds the law of a member that clips, adds noise, or both. Returns 0 if its effect combined with that of
 * the members before it is not a single law. */
static int add_law(reading *r, const noise_law *next) {
    granted_defense *granted = &r->granted;
    const noise_law before = granted->noise;
    const int behind = granted->clip_is_last; /* directly behind the clip before it */
    granted->noise = *next;
    granted->clip_is_last = next->kind == NOISE_NONE;
    if (next->clip_mode == NOISE_CLIP_PER_TENSOR)
        granted->pruned_together = 0;
    if (before.clip_mode == NOISE_CLIP_NONE) {
        granted->noise_is_first = r->members == 1;
        return 1;
    }
    if (next->clip_mode == NOISE_CLIP_NONE) {
        granted->noise.clip = before.clip;
        granted->noise.clip_mode = before.clip_mode;
        granted->noise.l1 = before.l1;
        return 1;
    }
    if (behind && before.clip_mode == next->clip_mode && !next->l1) {
        granted->noise.clip = fmin(before.clip, next->clip);
        return 1;
    }
    granted->noise_is_first = 0;
    granted->clip_is_unread = 1;
    return 0;
}

static void read_noise(reading *r, int member, value_list own) {
    const noise_law law = noise_of(member, own);
    granted_defense *granted = &r->granted;
    const gnt_value *layers = value_of(own.at, own.n, "layers");
    const int in_some = layers && layers->text && *layers->text;
    if (law.kind != NOISE_NONE && !in_some) {
        granted->is_complete &= add_law(r, &law);
        return;
    }
    if (in_some) {
        granted->layers = layers->text;
        granted->of_layers = law;
    }
    granted->noise = in_some ? (noise_law){.kind = NOISE_NONE} : law;
    granted->is_complete = granted->noise_is_first = granted->clip_is_last = 0;
}

/* Reads a clip member; a clip that follows noise is not part of the noise's law. */
static void read_clip(reading *r, int member, value_list own) {
    const noise_law law = clip_of(member, own);
    r->granted.clip_is_unread |= r->noisy > 0 || law.clip_mode == NOISE_CLIP_NONE;
    r->granted.is_complete &= r->noisy == 0 && law.clip_mode != NOISE_CLIP_NONE && add_law(r, &law);
}

static void read_zeros(granted_defense *granted, int member, value_list own) {
    granted->clip_is_last = 0;
    if (member == MEMBER_SOTERIA) {
        granted->defended = own.at[0].r > 0 ? own.at[1].text : granted->defended;
        granted->is_complete = 0;
    } else if (is_text(value_of(own.at, own.n, "of"), "parameters")) {
        granted->is_complete = 0; /* the update's small entries are as they were */
    } else {
        granted->pruned = own.at[0].r > 0;
        granted->pruned_together = is_text(&own.at[1], "update");
    }
}

static void read_layers(granted_defense *granted, int member, value_list own) {
    const gnt_value *samples = value_of(own.at, own.n, "samples"),
                    *sensitivity = value_of(own.at, own.n, "sensitivity"),
                    *preferences = value_of(own.at, own.n, "preferences"),
                    *clips = value_of(own.at, own.n, "clips");
    const int of_samples = member == MEMBER_FEDRE_SAMPLE;
    granted->is_complete = granted->clip_is_last = 0;
    granted->layered = (layered_noise){.clip = fmax(own.at[1].r, 0),
                                       .epsilon = own.at[0].r,
                                       .delta = own.at[2].r,
                                       .clips = clips && clips->n > 0 ? clips->list : NULL,
                                       .n_clips = clips ? clips->n : 0,
                                       .of_samples = of_samples,
                                       .by_client = of_samples || is_text(sensitivity, "sample") ||
                                                    (preferences && preferences->n > 0),
                                       .by_scores = member != MEMBER_UNIFORM,
                                       .samples = samples ? samples->i : 0};
}

static void read_member(reading *r, int member) {
    const int noisy = member == MEMBER_GAUSSIAN || member == MEMBER_LAPLACE;
    const int clips = member == MEMBER_CLIP || member == MEMBER_FEDAVG;
    const value_list own = member == MEMBERS ? (value_list){NULL, 0} : values_of(member, r->left);
    r->members++;
    r->noisy += noisy;
    if (own.n == 0) {
        r->granted.is_complete = r->granted.clip_is_last = 0;
        r->granted.clip_is_unread |= clips;
        return;
    }
    r->left = (value_list){own.at + 1, own.n - 1};
    if (noisy)
        read_noise(r, member, own);
    else if (clips)
        read_clip(r, member, own);
    else if (member == MEMBER_FEDRE || member == MEMBER_FEDRE_SAMPLE || member == MEMBER_UNIFORM)
        read_layers(&r->granted, member, own);
    else
        read_zeros(&r->granted, member, own);
}

granted_defense granted_defense_of(const gnt_observation *seen) {
    reading r = {.left = {seen->defense_values, seen->n_defense_values}};
    int clips = 0;
    r.granted.is_complete = seen->defense != NULL;
    for (const char *at = seen->defense; at && *at;) {
        const size_t length = strcspn(at, "+");
        const int member = member_at(at, length);
        clips |= member == MEMBER_CLIP || member == MEMBER_FEDAVG;
        if (member != MEMBER_NONE)
            read_member(&r, member);
        at += length + (at[length] == '+');
    }
    r.granted.is_alone = r.members == 1;
    if (r.noisy > 1) {
        r.granted.is_complete = r.granted.noise_is_first = r.granted.clip_is_last = 0;
        r.granted.clip_is_unread = clips;
        r.granted.noise = (noise_law){.kind = NOISE_NONE};
    }
    return r.granted;
}

gnt_status granted_defense_check(const gnt_host *host, const granted_defense *granted) {
    if (granted->layers && !granted->is_alone)
        return unsupported(host,
                           "the granted chain clips and noises some layers alone and does more besides, "
                           "which it does not reckon with: leave the grant defense out");
    if (!granted->clip_is_unread)
        return GNT_OK;
    return unsupported(host, "the granted chain has a clip behind noise, or two of different modes or norms, "
                             "which it does not reckon with: leave the grant defense out");
}

gnt_status granted_layers(const gnt_host *host, const granted_defense *granted, const gnt_views *update,
                          const uint8_t **covered) {
    char why[CHOOSE_WHY];
    *covered = NULL;
    if (!granted->layers)
        return GNT_OK;
    const gnt_model_info *info = host->model->info;
    uint8_t *chosen = gnt_host_scratch(host, (int64_t)info->n_layers + 1, 1);
    uint8_t *flags = gnt_host_scratch(host, update->n + 1, 1);
    TRY(hook_memory(host, chosen && flags));
    if (choose_layers(info, granted->layers, chosen, why) != 0)
        return gnt_host_fail(host, why);
    for (int64_t t = 0; t < update->n; t++)
        flags[t] = update->view[t].layer >= 0 && chosen[update->view[t].layer];
    *covered = flags;
    return GNT_OK;
}
