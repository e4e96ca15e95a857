#include "judge/threat_model.h"

#include <string.h>

static int has_any(const gnt_texts *grants, const char *const *names, size_t n) {
    for (size_t i = 0; i < grants->n; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(grants->at[i], names[k]) == 0)
                return 1;
    return 0;
}

const char *gnt_threat_model(const char *surface, const gnt_texts *grants) {
    static const char *const client_data[] = {"bn_stats"}, *const surrogate[] = {"public", "prior_data",
                                                                                 "shadow",
                                                                                 "shadow_observations"};
    if (strcmp(surface, "update") != 0)
        return "";
    return has_any(grants, client_data, 1)                                    ? "E"
           : has_any(grants, surrogate, sizeof surrogate / sizeof *surrogate) ? "D"
                                                                              : "C";
}
