#include "attr_known.h"

#include <string.h>

#include "shared/by_name.h"
#include "shared/try.h"

gnt_status attr_known_read(attr_known *k, const gnt_host *host, const gnt_observation *setting) {
    static const struct {
        const char *id;
        attr_method method;
        int random_target;
    } ours[] = {{"recup", ATTR_META, 0},         {"recup-random-target", ATTR_META, 1},
                {"fgsm-one", ATTR_ONE, 0},       {"fgsm-avg", ATTR_AVERAGE, 0},
                {"fgsm-iter", ATTR_ITERATED, 0}, {"fgsm-momentum", ATTR_MOMENTUM, 0}};
    const gnt_value *epsilon = defense_value(setting, "epsilon"), *drawn = defense_value(setting, "drawn");
    const gnt_value *iterations = defense_value(setting, "iterations"),
                    *window = defense_value(setting, "window");
    const gnt_value *inputs = defense_value(setting, "inputs");
    *k = (attr_known){.reading = {.inputs = 1024}};
    if (setting->defense && strcmp(setting->defense, "none") == 0)
        return GNT_OK; /* epsilon 0 */
    for (size_t i = 0; i < sizeof ours / sizeof *ours && setting->defense; i++)
        if (strcmp(setting->defense, ours[i].id) == 0 && epsilon && window && inputs) {
            k->how = (attr_perturbation){.method = ours[i].method,
                                         .iterations = iterations ? (int32_t)iterations->i : 1,
                                         .drawn = drawn ? (int32_t)drawn->i : 1,
                                         .epsilon = epsilon->r * (setting->steps > 0 ? setting->rate : 1),
                                         .toward = ours[i].random_target};
            k->reading = (attr_reading){.window = window->i, .inputs = inputs->i};
            k->random_target = ours[i].random_target;
            return GNT_OK;
        }
    return unsupported(host, "it adapts to recup, recup-random-target and the fgsm defenses, one at a time");
}
