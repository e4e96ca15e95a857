/* adaptive: whether attacks that know a defense have met it. A benchmark of attacks that do not know a
 * defense says how it fares against those who do not care. Pure. */
#ifndef GNT_JUDGE_ADAPTIVE_H
#define GNT_JUDGE_ADAPTIVE_H

#include "metric/measure.h"
#include "judge/judge.h"

/* One thing to be known of a defense: a family of one of its plugins, or where it names none the plugin. */
typedef struct gnt_mechanism {
    const char *plugin, *family; /* family: "" for none */
} gnt_mechanism;

enum { GNT_MOST_MECHANISMS = 64 };

/* Of a defense by its label; the texts belong to the results. Returns how many there are, at most
 * GNT_MOST_MECHANISMS. */
size_t gnt_mechanisms(const gnt_results *r, const char *defense, gnt_mechanism out[GNT_MOST_MECHANISMS]);
/* 1 when an attack of these results adapts to a mechanism in a cell: it names the family, or the plugin, and
 * the cell granted it the defense; or it names any, and the cell granted it shadow observations. */
int gnt_attack_knows(const gnt_results *r, const gnt_outcome *cell, const gnt_mechanism *m);
/* 1 when each mechanism of a defense was met, at a stage or GNT_EVERY_STAGE, by an attack that knows it and
 * gave a number there; *unmet (NULL: not wanted) is the first that was not. An attack that was seen not to
 * recover what is undefended (judge/adequacy.h) counts for nothing: one whose budget ends after a step
 * knows nothing of a defense, whatever it was told. */
int gnt_is_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
               const gnt_measure *m, gnt_mechanism *unmet);

#endif
