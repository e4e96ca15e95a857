/* fl: what the files of this room share. */
#ifndef GNT_FL_FL_H
#define GNT_FL_FL_H

#include "fl/federate.h"

enum { FL_TRAINERS = 4 };

struct gnt_fl {
    const gnt_model *model;
    const gnt_chain *chain;
    gnt_fl_config config;
    gnt_key key;
    int64_t n_params, n_buffers;
    int64_t n_shared, n_own; /* entries of the parameters that clients share, and of those they keep */
    gnt_tensors tensors;     /* one for each shared parameter; data points into the update at hand */
    gnt_tensors statistics;  /* one for each running statistic, in sent_buffers; n is 0 once withheld */
    int64_t n_statistics;    /* as many */
    int sends_statistics;    /* clients compute with batch statistics, of which the model has running ones */
    gnt_trainer *trainer[FL_TRAINERS];
    int64_t trainer_n[FL_TRAINERS];
    int next_slot;
    int diverged;                   /* a loss or an update was not finite */
    float *grad, *local, *velocity; /* n_params each; velocity NULL without momentum */
    gnt_adam *adam;                 /* NULL: steps by SGD */
    float *plain;                   /* n_shared: an update before it is changed; NULL until one is */
    /* n_buffers each; sent_buffers: of the client at hand, less those broadcast */
    float *stats, *local_buffers, *sent_buffers;
};

#endif
