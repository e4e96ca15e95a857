/* The expectation of a client's learning rate, from its own samples and from the secure sum. */
#include <stdio.h>

#include "lrp.h"
#include "shared/try.h"

static gnt_status of_list(const lrp *self, const gnt_client *client, lrp_mean *out) {
    const gnt_host *host = self->host;
    char text[200];
    if (self->rates.n != client->n_clients || client->index < 0 || client->index >= client->n_clients) {
        snprintf(text, sizeof text,
                 "rates has %lld entries for %d clients; give one for each, or none to take them from the "
                 "clients' shares",
                 (long long)self->rates.n, client->n_clients);
        return unsupported(host, text);
    }
    *out = (lrp_mean){.rate = self->rates.at[client->index], .share = 1, .k = 1};
    return GNT_OK;
}

static gnt_status not_positive(const lrp *self, const gnt_client *client, double mean, double k) {
    const double fewer = mean - (double)client->n_labels; /* labels than the mean */
    char text[400], lower[60] = "";
    if (fewer > 0 && self->beta > 0)
        snprintf(lower, sizeof lower, "lower zeta below %g, or ", self->beta / fewer);
    snprintf(
        text, sizeof text,
        "client %d: K = zeta*(labels - mean labels) + beta = %g*(%lld - %g) + %g = %g, but a learning rate "
        "must be above 0: %sraise beta above %g",
        client->index, self->zeta, (long long)client->n_labels, mean, self->beta, k, lower,
        self->zeta * fewer);
    return unsupported(self->host, text);
}

gnt_status lrp_mean_of(const lrp *self, const gnt_client *client, lrp_mean *out) {
    const gnt_host *host = self->host;
    if (self->rates.n > 0)
        return of_list(self, client, out);
    *out = (lrp_mean){.share = self->share, .k = 1};
    if (!self->received && (self->adaptive || self->share == 0))
        return gnt_host_fail(host, "the secure sum did not arrive before the first local step");
    if (self->share == 0) {
        if (!(self->sum[SUM_SAMPLES] > 0))
            return gnt_host_fail(host, "the clients hold no samples together, so nobody has a share");
        out->share = (double)client->n_samples * client->n_clients / self->sum[SUM_SAMPLES];
    }
    if (self->adaptive) {
        const double mean = self->sum[SUM_LABELS] / client->n_clients;
        out->k = self->zeta * ((double)client->n_labels - mean) + self->beta;
        if (!(out->k > 0))
            return not_positive(self, client, mean, out->k);
    }
    out->rate = out->k * out->share * client->rate;
    return GNT_OK;
}
