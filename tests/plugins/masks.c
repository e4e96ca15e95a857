/* masks: defenses and attacks that check what they are shown of images with maps, each with a sensitive
 * region of its own (the built-in receipts). The attack answers with what is known outside of it and black
 * inside. */
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static gnt_status refuse(void *self, const char *why) {
    const gnt_host *host = ((plugin *)self)->host;
    return host->fail(host->context, why);
}

static int64_t size_of(const gnt_samples *s) {
    return s->dim[1] * s->dim[2];
}

/* Every mask marks something and not all. */
static int has_masks(const gnt_samples *s) {
    const int64_t m = size_of(s);
    for (int64_t i = 0; s->mask && i < s->n; i++) {
        int64_t inside = 0;
        for (int64_t p = 0; p < m; p++)
            inside += s->mask[i * m + p];
        if (inside == 0 || inside == m)
            return 0;
    }
    return s->mask != NULL;
}

/* y has a 0 or a 1 for each pixel. */
static int has_maps(const gnt_samples *s) {
    const int64_t n = s->n * s->classes;
    for (int64_t i = 0; s->y && i < n; i++)
        if (s->y[i] != 0 && s->y[i] != 1)
            return 0;
    return s->y && s->classes == size_of(s);
}

static int in_order(const gnt_samples *s) {
    for (int64_t i = 0; i < s->n; i++) /* one channel */
        for (int64_t p = 0; p < size_of(s); p++)
            if (s->mask[i * size_of(s) + p] && s->x[i * s->features + p] != 0)
                return 0;
    return 1;
}

static int is_map(void *self) {
    return ((plugin *)self)->host->model->info->output == GNT_OUTPUT_MAP;
}

static gnt_status unsupported(void *self) {
    refuse(self, "it is for models whose output is a map");
    return GNT_UNSUPPORTED;
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const float none = 0;
    const int64_t one = 1;
    if (!is_map(self))
        return unsupported(self);
    if (!in->public_data || !has_masks(in->public_data) || !has_maps(in->public_data))
        return refuse(self, "public samples have no maps and masks");
    return out->tensor(out->context, "none", 1, &one, &none);
}

static gnt_status look(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)update;
    if (!is_map(self))
        return unsupported(self);
    if (client->n_labels != 0)
        return refuse(self, "samples with maps are said to have labels");
    return has_masks(client->samples) && has_maps(client->samples)
               ? GNT_OK
               : refuse(self, "the client's samples have no maps and masks");
}

/* Behind blank_regions, which the masks still fit. */
static gnt_status look_at_blank(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_status status = look(self, client, update);
    return status != GNT_OK || in_order(client->samples)
               ? status
               : refuse(self, "an encoded sample has the mask of another");
}

/* The samples in the other order, black in their regions. */
static gnt_status blank_regions(void *self, const gnt_client *client, int64_t epoch,
                                const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    if (!is_map(self))
        return unsupported(self);
    float *x = malloc((size_t)s->features * sizeof *x);
    gnt_status status = x && has_masks(s) ? GNT_OK : refuse(self, "a set to be encoded has no masks");
    (void)epoch;
    for (int64_t i = s->n - 1; status == GNT_OK && i >= 0; i--) {
        for (int64_t p = 0; p < s->features; p++)
            x[p] = s->mask[i * size_of(s) + p] ? 0 : s->x[i * s->features + p];
        status = out->put(out->context, x, s->y + i * s->classes, s->id[i]);
    }
    free(x);
    return status;
}

static gnt_status answer_outside(void *self, const gnt_observation *seen, const gnt_answer *answer) {
    const gnt_samples *s = seen->outside;
    if (!s || !has_masks(s) || s->n != seen->n || s->y)
        return refuse(self, "what is outside has no masks");
    if (!in_order(s))
        return refuse(self, "the region is not blank");
    for (int64_t i = 0; i < s->n; i++) {
        int64_t light = 0;
        for (int64_t p = 0; p < s->features; p++)
            light += s->x[i * s->features + p] > 0;
        if (light == 0)
            return refuse(self, "nothing is known outside of the region");
    }
    return answer->reconstruction(answer->context, s->n, s->x);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    double marked = 0;
    (void)own;
    if (!seen->labels || seen->public_data)
        return refuse(self, "maps were granted, public data were not");
    for (int64_t i = 0; i < seen->n * seen->classes; i++)
        marked += (double)seen->labels[i];
    const gnt_host *host = ((plugin *)self)->host;
    host->fact(host->context, "marked", marked);
    return answer_outside(self, seen, answer);
}

/* Without the grant nothing reveals where the regions are. */
static gnt_status run_blind(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                            const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_model_info *info = host->model->info;
    (void)own;
    if (seen->outside || seen->labels)
        return refuse(self, "the region or the maps are shown without a grant");
    const int64_t n = seen->n * info->dim[0] * info->dim[1] * info->dim[2];
    float *grey = host->scratch(host->context, (size_t)n * sizeof *grey);
    if (!grey)
        return refuse(self, "out of memory");
    for (int64_t i = 0; i < n; i++)
        grey[i] = 0.5f;
    return answer->reconstruction(answer->context, seen->n, grey);
}

static gnt_status run_labels(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                             const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float *scores = host->scratch(host->context, (size_t)(seen->n * seen->classes) * sizeof *scores);
    (void)own;
    return scores ? answer->labels(answer->context, seen->n, seen->classes, scores)
                  : refuse(self, "out of memory");
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static const gnt_defense looks = {.size = sizeof looks, .prepare = prepare, .transform_update = look};
static const gnt_defense blanks = {
    .size = sizeof blanks, .encode_set = blank_regions, .transform_update = look_at_blank};
static const gnt_attack outside = {.size = sizeof outside, .run = run};
static const gnt_attack blind = {.size = sizeof blind, .run = run_blind};
static const gnt_attack labels = {.size = sizeof labels, .run = run_labels};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "1.0", .line = "for tests of masks", .licence = "MIT",        \
    .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_IMAGE, .create = create,          \
    .destroy = free

static const gnt_descriptor descriptors[] = {
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "looks-at-masks", .scope = GNT_SCOPE_TASK,
     .flags = GNT_FLAG_NEEDS_PUBLIC, .defense = &looks},
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "blanks-regions", .defense = &blanks},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "knows-masks", .goals = GNT_GOAL_RECONSTRUCTION,
     .needs = GNT_KNOWS_REGION | GNT_KNOWS_LABELS, .attack = &outside},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "knows-no-mask", .goals = GNT_GOAL_RECONSTRUCTION,
     .attack = &blind},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "tells-labels", .goals = GNT_GOAL_LABEL, .attack = &labels},
};
enum { PLUGINS = sizeof descriptors / sizeof *descriptors };

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < PLUGINS ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    (uint32_t)sizeof(gnt_entry),
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    (uint32_t)sizeof(void *),
                                    "",
                                    PLUGINS,
                                    0,
                                    descriptor_at};
    return &entry;
}
