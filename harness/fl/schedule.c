#include "fl/schedule.h"

#include <math.h>

#include "nn/model/train.h"

double gnt_fl_rate(const gnt_fl_config *config, int32_t round) {
    return config->cosine ? gnt_rate_cosine(config->rate, round, config->rounds > 0 ? config->rounds : 1)
                          : config->rate;
}

int64_t gnt_fl_passes(const gnt_fl_config *config, int64_t n) {
    int64_t drawn = config->steps * config->batch;
    return drawn > n ? (drawn - 1) / n + 1 : 1;
}

int64_t gnt_fl_passes_begun(const gnt_fl_config *config, int64_t n) {
    const int64_t later =
        config->steps > 1 ? config->steps - 1 : 0; /* a pass begins with a step, no two with one */
    const int64_t begun = later * config->batch / n;
    return 1 + (begun < later ? begun : later);
}

int32_t gnt_fl_per_round(const gnt_fl_config *config) {
    double wanted = ceil(config->participation * config->clients - 1e-9);
    return wanted < 1 ? 1 : wanted > config->clients ? config->clients : (int32_t)wanted;
}
