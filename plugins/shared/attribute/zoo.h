/* zoo: the surrogate networks that RecUP-FL (2023) attacks in place of the adversary's, and their derivatives
 * by an update.
 *
 * A zoo infers one attribute. Its networks read the update max-pooled and standardised, so that only the
 * greatest entry of each window has a derivative. All learn from the same updates of shadow samples; they
 * differ in widths, initial weights and the order of training. */
#ifndef ATTRIBUTE_ZOO_H
#define ATTRIBUTE_ZOO_H

#include "gauntlet/nn.h"
#include "shared/attribute/pass.h"
#include "shared/attribute/attr_table.h"

enum { ATTR_ZOO_MOST = 64, ATTR_ZOO_HIDDEN = 3 };

typedef struct attr_zoo_recipe {
    int64_t nets, widest; /* hidden layers have 128, 256 … neurons, a power of two up to this one */
    attr_recipe net;      /* except `hidden` */
} attr_zoo_recipe;

typedef struct attr_zoo {
    const gnt_host *host;
    int32_t nets, values;
    int64_t size, window, columns; /* of an update, of pooling, pooled */
    const float *mean, *scale;     /* columns; of an artefact, or of the source it was trained on */
    attr_net net[ATTR_ZOO_MOST];
    float *flat[ATTR_ZOO_MOST]; /* weights of a zoo that was trained here; else NULL */
    /* Set by attr_zoo_open: */
    int64_t rows;                        /* updates processed together */
    gnt_program *program[ATTR_ZOO_MOST]; /* of each network; NULL where rows is 1 */
    attr_pass pass; /* used for one row, with the cross entropy's derivative by `scores` */
    gnt_program *entropy;
    float *scores;        /* values */
    float *x, *y, *slope; /* rows × columns, rows × values, rows × columns */
    int64_t *where;       /* rows × columns: the entry that each pooled one came from */
} attr_zoo;

/* Trains a zoo on a table of that source, whose mean and scale it uses. The caller closes it also after a
 * failure. */
gnt_status attr_zoo_train(attr_zoo *zoo, const attr_zoo_recipe *recipe, const attr_source *from,
                          attr_table *t);
/* Writes the zoo as artefacts PREFIX… */
gnt_status attr_zoo_write(const attr_zoo *zoo, const gnt_sink *out, const char *prefix);
/* Reads the zoo of that prefix, for updates of `size` entries, pooled as in its training; the artefacts keep
 * its tensors. Returns −1 if there is none. */
int attr_zoo_read(attr_zoo *zoo, const gnt_host *host, const gnt_artefacts *from, const char *prefix,
                  const attr_reading *reading, int64_t size, int32_t values);

/* Prepares a trained or read zoo for `rows` updates at a time. */
gnt_status attr_zoo_open(attr_zoo *zoo, int64_t rows);
void attr_zoo_close(attr_zoo *zoo);

/* Computes the derivative of the cross entropy between network `which`'s scores of each of the `rows` updates
 * and its label, by that update: entry where[j] of update r has derivative g[j], with `columns` of each in a
 * row; all other entries have 0. The clipping at ten deviations is ignored. Both arrays are the zoo's, valid
 * until its next call. */
gnt_status attr_zoo_slope(attr_zoo *zoo, int32_t which, const float *const *update, const int32_t *label,
                          const float **g, const int64_t **where);

#endif
