/* An attribute that nothing reveals, for checks: an attack that infers it has seen it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/data.h"

const char gnt_data_coin[] = "coin";

int gnt_data_add_coin(gnt_data *d, int32_t values, const gnt_key *key, gnt_err *err) {
    const size_t before = (size_t)d->n_attrs, now = before + 1;
    gnt_stream random = gnt_stream_open(key, "coin");
    if (before == GNT_DATA_ATTRS)
        return gnt_fail(err, "%s: %d attributes already, so there is no room for a coin", d->name,
                        d->n_attrs);
    int32_t *all = gnt_array((size_t)d->rows, now * sizeof *all);
    if (!all)
        return gnt_fail(err, "out of memory for a coin of %lld rows", (long long)d->rows);
    for (size_t i = 0; i < (size_t)d->rows; i++) {
        for (size_t a = 0; a < before; a++)
            all[i * now + a] = d->attrs[i * before + a];
        all[i * now + before] = (int32_t)gnt_random_below(&random, (uint64_t)values);
    }
    gnt_free(d->attrs);
    d->attrs = all;
    d->attr[before] = (gnt_data_attr){.values = values};
    snprintf(d->attr[before].name, sizeof d->attr[before].name, "%s", gnt_data_coin);
    d->n_attrs++;
    return 0;
}
