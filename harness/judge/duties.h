/* duties: which kinds of attacks a defense must have met, and whether it did. They follow from the hooks that
 * the defense has, which the host reads from its descriptor: what a plugin claims of itself adds duties and
 * removes none. A benchmark without adaptive attacks shows only how a defense fares against attackers that
 * ignore it. Pure.
 *
 *   each family            an attack that names it, or the plugin, and was granted the defense; or one that
 *                          learnt the defense from shadow observations. A plugin without families is a family
 *                          of its own.
 *   client_update, transform_update, local_rate
 *                          where updates are observed: an attack that learnt from shadow observations, or one
 *                          that names the plugin by its id and was granted the defense
 *   encode_set, encode_batch
 *                          where encodings or updates are observed: an attack that learnt from shadow
 *                          observations, no matter who names the plugin
 *   aggregate              where updates are observed in the round: an attack on their influence
 *
 * A duty is only shown, and costs no rank, where no learnt attack ships that could discharge it: against
 * reconstruction of images, and inference of labels or contributions, from updates; and `aggregate` in a
 * probe, which has no cells on influence. */
#ifndef GNT_JUDGE_DUTIES_H
#define GNT_JUDGE_DUTIES_H

#include "base/text.h"
#include "metric/measure.h"
#include "judge/judge.h"

typedef enum gnt_duty_kind {
    GNT_DUTY_FAMILY,
    GNT_DUTY_UPDATE, /* client_update, transform_update, local_rate */
    GNT_DUTY_ENCODE, /* encode_set, encode_batch */
    GNT_DUTY_AGGREGATE
} gnt_duty_kind;

typedef struct gnt_duty {
    gnt_duty_kind kind;
    /* of the defense; `what`: the family, "" for none, or the hook. NULL: no duty */
    const char *plugin, *what;
    /* 1: it costs no rank */
    int shown_only;
    /* 1: shadow observations were not made with the training's artefacts, which stay with the clients */
    int private_artefacts;
    /* built-in attacks that would discharge it, and what they are granted, in words */
    const char *attack;
} gnt_duty;

enum { GNT_MOST_DUTIES = 128 };

/* Lists the duties of the defense with this label where a measure is ranked on a task, and returns their
 * number, at most GNT_MOST_DUTIES; texts belong to the results. A run that does not say which hooks a plugin
 * has is taken to have those whose output the attacker sees, as far as they can cost a rank. */
size_t gnt_duties(const gnt_results *r, const char *task, const char *defense, const gnt_measure *m,
                  gnt_duty out[GNT_MOST_DUTIES]);
/* True if the attack of a cell discharges a duty. */
int gnt_discharges(const gnt_results *r, const gnt_outcome *cell, const gnt_duty *duty);
/* True if each duty that costs a rank was discharged, at a stage or GNT_EVERY_STAGE, by an attack that gave a
 * number there. *unmet is the first that was not, *shown the first of those that cost no rank; `what` is NULL
 * where there is none. Attacks measured as inadequate (judge/adequacy.h) do not count: an attack whose budget
 * ends after one step tests no defense, whatever it was granted. */
int gnt_is_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
               const gnt_measure *m, gnt_duty *unmet, gnt_duty *shown);
/* Writes which duty is missing and which attack would discharge it, a clause: "no attack that learnt the
 * client_update of x from shadow observations met it; attr-nn would, granted shadow_observations". */
void gnt_duty_say(const gnt_duty *duty, gnt_text *out);

#endif
