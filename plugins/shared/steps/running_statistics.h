/* running_statistics: the batch-norm statistics of a client whose local steps a defense computes. After each
 * step they become 0.9 of themselves and 0.1 of the batch's, as the host keeps them, and their differences
 * from those broadcast are what the client sends (gnt_client.sent_buffers).
 *
 * Empty, with the broadcast statistics, where clients compute with those and send none. */
#ifndef SHARED_RUNNING_STATISTICS_H
#define SHARED_RUNNING_STATISTICS_H

#include "gauntlet/plugin.h"

typedef struct running_statistics {
    const gnt_host *host;
    const gnt_client *client;
    gnt_function *batch; /* NULL: nothing is kept */
    float *kept;         /* as the model's buffers */
} running_statistics;

/* Starts at the broadcast ones, for batches of n samples. Scratch of the hook. GNT_OK, or a status after
 * host->fail. */
gnt_status running_statistics_open(running_statistics *r, const gnt_host *host, const gnt_client *client,
                                   int64_t n);

/* Takes in those of a batch x (n × features) at `weights`. */
gnt_status running_statistics_take(running_statistics *r, const float *x, const float *weights);

/* Leaves in the client's sent_buffers what it sends of them. */
void running_statistics_send(const running_statistics *r);

void running_statistics_close(running_statistics *r);

#endif
