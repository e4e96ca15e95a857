/* adversarial, dpfe: a representation that serves the task and hides an attribute, with the task's labels:
 * what TAPPFL (2024) compares itself with. */
#include "representation.h"

static void *create_adversarial(const gnt_host *host, const gnt_value *v) {
    const extractor_setting setting = representation_setting(v, adversarial_objective, -1);
    return extractor_new(host, &setting);
}

static void *create_dpfe(const gnt_host *host, const gnt_value *v) {
    const extractor_setting setting = representation_setting(v, dpfe_objective, 1);
    return extractor_new(host, &setting);
}

static const gnt_parameter parameters[] = {REPRESENTATION_ROWS};
static const char *const families[] = {"tappfl", NULL};

#define DESCRIPTOR(name, text, says, source, made)                                                           \
    const gnt_descriptor name = {                                                                            \
        .size = sizeof name,                                                                                 \
        .kind = GNT_PLUGIN_DEFENSE,                                                                          \
        .id = text,                                                                                          \
        .version = "1.0",                                                                                    \
        .line = says,                                                                                        \
        .licence = "MIT",                                                                                    \
        .citation = source,                                                                                  \
        .parameters = parameters,                                                                            \
        .n_parameters = sizeof parameters / sizeof *parameters,                                              \
        .surfaces = GNT_SURFACE_REPRESENTATION | GNT_SURFACE_UPDATE,                                         \
        .data_kinds = GNT_KIND_IMAGE | GNT_KIND_TABULAR,                                                     \
        .families = families,                                                                                \
        .flags = GNT_FLAG_RANDOMISED,                                                                        \
        .create = made,                                                                                      \
        .destroy = extractor_free,                                                                           \
        .defense = &representation_hooks,                                                                    \
    }

DESCRIPTOR(adversarial_descriptor, "adversarial",
           "trains an extractor for the task against a classifier of an attribute",
           "after Li et al., DeepObfuscator, 2019; compared with in TAPPFL, AAAI 2024", create_adversarial);
DESCRIPTOR(dpfe_descriptor, "dpfe",
           "trains an extractor for the task with little information on an attribute, were both normal",
           "after Osia et al., Deep Private-Feature Extraction, TKDE 2018", create_dpfe);
