/* threat_model: what an attacker on shared updates knows, as a letter of the taxonomy of Carletti et al.,
 * "SoK: Gradient Inversion Attacks in Federated Learning", USENIX Security 2025. Pure. */
#ifndef GNT_JUDGE_THREAT_MODEL_H
#define GNT_JUDGE_THREAT_MODEL_H

#include "result/result.h"

/* Returns "C", "D" or "E" for the grants of a cell (docs/results.md#threat-models says which is which); ""
 * where the attacker sees no update, for which the taxonomy has no letter. A and B do not occur: every
 * attacker gets the broadcast weights, the model, the batch size and the local steps. F to H are active
 * servers. */
const char *gnt_threat_model(const char *surface, const gnt_texts *grants);

#endif
