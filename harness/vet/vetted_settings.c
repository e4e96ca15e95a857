/* The settings on which a plugin is vetted. */
#include <stdio.h>

#include "vet/setting.h"

/* Samples of an observation of encodings and similar ones. */
enum { FEW = 6 };

static void add_spec(gnt_vet_spec *list, int *n, const gnt_descriptor *d, uint32_t kind, uint32_t surface,
                     int32_t steps, int64_t budget) {
    int attack = d->kind == GNT_PLUGIN_ATTACK;
    /* the hooks of a defense are called on any surface */
    const uint32_t surfaces = attack ? d->surfaces : surface;
    if (!(d->data_kinds & kind) || !(surfaces & surface) || *n == GNT_VET_MOST_SETTINGS)
        return;
    list[(*n)++] = (gnt_vet_spec){.kind = kind,
                                  .surface = surface,
                                  .steps = steps,
                                  .dense = (d->flags & GNT_FLAG_FIRST_DENSE) || kind == GNT_KIND_TABULAR,
                                  .granted = d->needs | d->uses,
                                  .goals = d->goals,
                                  .batch = !attack                         ? GNT_VET_SET
                                           : surface != GNT_SURFACE_UPDATE ? FEW
                                           : steps                         ? 2
                                                                           : 1,
                                  .budget = budget,
                                  .prepares_once = attack && (d->flags & GNT_FLAG_PREPARES_ONCE)};
}

/* True if the plugin is vetted on maps too: defenses, and attacks that use the sensitive region. */
static int meets_maps(const gnt_descriptor *d) {
    return d->kind == GNT_PLUGIN_DEFENSE || (d->needs | d->uses) & GNT_KNOWS_REGION;
}

int gnt_vet_specs(const gnt_descriptor *d, int64_t budget, gnt_vet_spec list[GNT_VET_MOST_SETTINGS]) {
    static const uint32_t kinds[] = {GNT_KIND_IMAGE, GNT_KIND_TABULAR};
    int n = 0;
    for (size_t k = 0; k < 2; k++) {
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 2, budget);
        const int before = n;
        if (kinds[k] == GNT_KIND_IMAGE && meets_maps(d))
            add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 0, budget);
        if (n > before)
            list[before].map = 1;
        if (d->kind == GNT_PLUGIN_DEFENSE)
            continue;
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_ENCODING, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_REPRESENTATION, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_TRANSCRIPT, 0, budget);
    }
    return n;
}

const char *gnt_vet_spec_name(const gnt_vet_spec *spec, char text[80]) {
    const char *what = spec->map                                     ? "one gradient of a map"
                       : spec->surface == GNT_SURFACE_ENCODING       ? "encodings"
                       : spec->surface == GNT_SURFACE_REPRESENTATION ? "representations"
                       : spec->surface == GNT_SURFACE_TRANSCRIPT     ? "a transcript"
                       : spec->steps                                 ? "local steps"
                                                                     : "one gradient";
    snprintf(text, 80, "%s, %s", spec->kind == GNT_KIND_IMAGE ? "images" : "a table", what);
    return text;
}
