#include "shared/dp/epsilon_facts.h"

#include <math.h>

#include "gauntlet/dp.h"

static double rounds_of(const gnt_client *client) {
    return client->rounds > 1 ? client->rounds : 1;
}

void gaussian_epsilon_facts(const gnt_host *host, const gnt_client *client, double delta,
                            double sensitivity) {
    const double all = sqrt(rounds_of(client)) * sensitivity;
    gnt_host_fact(host, "epsilon_release_add", gnt_dp_gaussian_epsilon(1, delta, sensitivity));
    gnt_host_fact(host, "epsilon_release_replace", gnt_dp_gaussian_epsilon(1, delta, 2 * sensitivity));
    gnt_host_fact(host, "epsilon_rounds_add", gnt_dp_gaussian_epsilon(1, delta, all));
    gnt_host_fact(host, "epsilon_rounds_replace", gnt_dp_gaussian_epsilon(1, delta, 2 * all));
}

void laplace_epsilon_facts(const gnt_host *host, const gnt_client *client, double sensitivity) {
    const double add = gnt_dp_laplace_epsilon(1, sensitivity), rounds = rounds_of(client);
    gnt_host_fact(host, "epsilon_release_add", add);
    gnt_host_fact(host, "epsilon_release_replace", 2 * add);
    gnt_host_fact(host, "epsilon_rounds_add", rounds * add);
    gnt_host_fact(host, "epsilon_rounds_replace", 2 * rounds * add);
}
