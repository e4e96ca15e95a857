#include "job/undone.h"

#include <math.h>

/* A cosine above which two updates have the same direction. */
static const double same = 0.999;

void gnt_undone_add(gnt_undone *u, const float *influence, const float *plain, const float *sent, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const double f = influence[i], p = plain[i], s = sent[i];
        u->plain_plain += p * p;
        u->sent_sent += s * s;
        u->plain_sent += p * s;
        u->influence_plain += f * p;
        u->influence_sent += f * s;
        u->to_plain += (f - p) * (f - p);
        u->to_sent += (f - s) * (f - s);
    }
}

int gnt_is_undone(const gnt_undone *u) {
    const double plain = sqrt(u->plain_plain), sent = sqrt(u->sent_sent);
    if (!(plain > 0 && sent > 0))
        return 0;
    if (u->plain_sent > same * plain * sent)
        return u->to_plain < u->to_sent;
    return u->influence_plain / plain > u->influence_sent / sent;
}
