/* adaptive: whether a defense was attacked by attacks that know it. A benchmark without adaptive attacks
 * shows only how a defense fares against attackers that ignore it. Pure. */
#ifndef GNT_JUDGE_ADAPTIVE_H
#define GNT_JUDGE_ADAPTIVE_H

#include "metric/measure.h"
#include "judge/judge.h"

/* One mechanism of a defense: a family of one of its plugins, or the plugin itself if it names no family. */
typedef struct gnt_mechanism {
    const char *plugin, *family; /* family: "" for none */
} gnt_mechanism;

enum { GNT_MOST_MECHANISMS = 64 };

/* Lists the mechanisms of the defense with this label and returns their number, at most GNT_MOST_MECHANISMS;
 * the texts belong to the results. */
size_t gnt_mechanisms(const gnt_results *r, const char *defense, gnt_mechanism out[GNT_MOST_MECHANISMS]);
/* True if the attack of a cell adapts to a mechanism: it names the family, or the plugin, and the cell
 * granted it the defense; or it names "any", and the cell granted it shadow observations. */
int gnt_attack_knows(const gnt_results *r, const gnt_outcome *cell, const gnt_mechanism *m);
/* True if each mechanism of a defense was attacked, at a stage or GNT_EVERY_STAGE, by an attack that knows it
 * and gave a number there; *unmet (NULL: not wanted) is the first that was not. Attacks measured as
 * inadequate (judge/adequacy.h) do not count: an attack whose budget ends after one step tests no defense,
 * whatever it was granted. */
int gnt_is_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
               const gnt_measure *m, gnt_mechanism *unmet);

#endif
