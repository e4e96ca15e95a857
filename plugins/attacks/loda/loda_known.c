#include "loda_known.h"

#include <stdio.h>
#include <string.h>

#include "shared/by_name.h"
#include "shared/try.h"

gnt_status known_open(known *k, const gnt_host *host, const gnt_observation *seen) {
    const gnt_value *preset = NULL, *layers = NULL, *c = NULL;
    int inside = 0; /* the values of all members come one after another; loda's begin with its extractor */
    *k = (known){0};
    if (!is_member(seen->defense, "loda")) {
        char why[FEATURES_WHY];
        snprintf(why, sizeof why, "it inverts encodings of loda, and the defense is %.100s",
                 seen->defense ? seen->defense : "not granted");
        return unsupported(host, why);
    }
    for (int64_t i = 0; i < seen->n_defense_values; i++) {
        const gnt_value *v = &seen->defense_values[i];
        inside |= v->type == GNT_TYPE_MODEL && strcmp(v->id, "extractor") == 0;
        if (!inside)
            continue;
        preset = !preset && strcmp(v->id, "preset") == 0 ? v : preset;
        layers = !layers && strcmp(v->id, "layers") == 0 ? v : layers;
        c = !c && strcmp(v->id, "c") == 0 ? v : c;
    }
    if (!preset || !layers || !c)
        return unsupported(host, "it needs the parameters \"preset\", \"layers\" and \"c\" of loda");
    k->c = c->r;
    return features_open(&k->g, host, "extractor", features_preset(preset->i, layers->text)) == 0
               ? GNT_OK
               : GNT_FAILED;
}

gnt_status known_targets(const known *k, const gnt_observation *seen, int64_t *n) {
    const gnt_samples *e = seen->encoded;
    if (!e || !e->x || e->n < 1)
        return unsupported(k->g.host, "it reads encoded images, and none was observed");
    if (e->features != k->g.pixels)
        return unsupported(k->g.host, "the shape of the encodings is not that of the extractor's inputs");
    *n = e->n < seen->n ? e->n : seen->n;
    return GNT_OK;
}
