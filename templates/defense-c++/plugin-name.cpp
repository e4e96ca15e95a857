// A defense: adds normal noise to each tensor of an update, in proportion to its root mean square.
#include <cmath>
#include <numeric>
#include <vector>

#include <gauntlet/plugin.h>

namespace {

struct defense {
    const gnt_host *host; // always the first member
    double noise;
};

double root_mean_square(const gnt_tensor &t) {
    const double sum = std::inner_product(t.data, t.data + t.count, t.data, 0.0);
    return std::sqrt(sum / static_cast<double>(t.count));
}

// Modifies the update in place, after the client computed it. No exception may leave a hook.
gnt_status transform_update(void *self, const gnt_client *, gnt_tensors *update) try {
    const auto &d = *static_cast<const defense *>(self);
    for (int64_t k = 0; k < update->n; k++) {
        gnt_tensor &t = update->tensor[k];
        const double scale = d.noise * root_mean_square(t);
        std::vector<float> z(static_cast<size_t>(t.count));
        if (gnt_host_should_stop(d.host))
            return GNT_STOPPED;
        gnt_host_normal(d.host, "noise", t.count, z.data());
        for (int64_t i = 0; i < t.count; i++)
            t.data[i] += static_cast<float>(scale * z[static_cast<size_t>(i)]);
    }
    return GNT_OK;
} catch (const std::bad_alloc &) {
    return gnt_host_fail(static_cast<const defense *>(self)->host, "no memory for the noise of one tensor");
}

const gnt_parameter parameters[] = {
    // 1: the larger it is, the stronger is the defense; searches take equal steps on its logarithm
    GNT_STRENGTH_REAL(defense, noise, 1e-3, 1e3, 1, GNT_SCALE_LOG, 1, "",
                      "standard deviation of the noise, per root mean square of the tensor"),
};

// The mechanism, by the name under which attacks adapt to it.
const char *const families[] = {GNT_FAMILY_NOISE, nullptr};

const gnt_defense hooks = [] {
    gnt_defense h{};
    h.size = sizeof h;
    h.transform_update = transform_update;
    return h;
}();

const gnt_descriptor descriptor = [] {
    gnt_descriptor d{GNT_DEFENSE("plugin-name", "0.1", "adds noise in proportion to each tensor", "MIT", ""),
                     GNT_PARAMETERS(parameters)};
    d.surfaces = GNT_SURFACE_UPDATE;
    d.data_kinds = GNT_KIND_ANY;
    d.flags = GNT_FLAG_RANDOMISED;
    d.families = families;
    d.defense = &hooks;
    d.instance_size = GNT_INSTANCE(defense);
    return d;
}();

} // namespace

GNT_DEFINE_ENTRY(descriptor)
