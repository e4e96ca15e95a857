// An attack: in the gradient of a dense layer each row is the layer's input times the entry of the bias.
// Dividing one by the other gives the input: for the first layer, the private sample.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gauntlet/plugin.h>

namespace {

struct attack {
    const gnt_host *host; // always the first member
    double least;
};

int64_t largest(const gnt_view &bias) {
    return std::max_element(bias.data, bias.data + bias.count,
                            [](float a, float b) { return std::fabs(a) < std::fabs(b); }) -
           bias.data;
}

// Reads an observation, answers through `answer`. No exception may leave a hook.
gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *, const gnt_answer *answer) try {
    const auto &a = *static_cast<const attack *>(self);
    const gnt_model_info &info = *a.host->model->info;
    const gnt_view &weight = seen->update->view[0], &bias = seen->update->view[1];
    const int64_t features = weight.dim[1], unit = largest(bias);
    if (!(std::fabs(bias.data[unit]) > a.least)) {
        gnt_host_fail(a.host, "the first layer's bias has no gradient above `least`: lower it");
        return GNT_UNSUPPORTED;
    }
    std::vector<float> x(weight.data + unit * features, weight.data + (unit + 1) * features);
    for (int64_t k = 0; k < features; k++) {
        const int64_t channel = k / (features / info.dim[0]); // models may normalise each channel
        float &pixel = x[static_cast<size_t>(k)];
        pixel /= bias.data[unit];
        if (info.mean)
            pixel = pixel * info.deviation[channel] + info.mean[channel];
    }
    return answer->reconstruction(answer->context, 1, x.data());
} catch (const std::bad_alloc &) {
    return gnt_host_fail(static_cast<const attack *>(self)->host, "no memory for one sample");
}

const gnt_parameter parameters[] = {
    GNT_REAL(attack, least, 0, 1, 0, GNT_SCALE_LINEAR, "", "least bias gradient to divide by"),
};

const gnt_attack hooks = [] {
    gnt_attack h{};
    h.size = sizeof h;
    h.run = run;
    return h;
}();

const gnt_descriptor descriptor = [] {
    gnt_descriptor d{GNT_ATTACK("plugin-name", "0.1",
                                "divides a row of the first layer's gradient by its bias", "MIT", ""),
                     GNT_PARAMETERS(parameters)};
    d.surfaces = GNT_SURFACE_UPDATE;
    d.goals = GNT_GOAL_RECONSTRUCTION;
    d.data_kinds = GNT_KIND_ANY;
    d.flags = GNT_FLAG_FIRST_DENSE;   // n/a unless the model's first layer is dense
    d.conditions = GNT_IF_ONE_SAMPLE; // n/a for batches
    d.attack = &hooks;
    d.instance_size = GNT_INSTANCE(attack);
    return d;
}();

} // namespace

GNT_DEFINE_ENTRY(descriptor)
