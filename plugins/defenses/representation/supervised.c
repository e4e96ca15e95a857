/* adversarial, dpfe: a representation that serves the task and hides an attribute, with the task's labels:
 * what TAPPFL (2024) compares itself with. */
#include "representation.h"

static gnt_status start_adversarial(void *self) {
    extractor *e = self;
    e->setting.build = adversarial_objective;
    e->setting.sign = -1;
    return GNT_OK;
}

static gnt_status start_dpfe(void *self) {
    extractor *e = self;
    e->setting.build = dpfe_objective;
    e->setting.sign = 1;
    return GNT_OK;
}

static const gnt_parameter parameters[] = {REPRESENTATION_ROWS};
static const char *const families[] = {"tappfl", NULL};

#define COMMON                                                                                               \
    GNT_PARAMETERS(parameters), .surfaces = GNT_SURFACE_REPRESENTATION | GNT_SURFACE_UPDATE,                 \
                                .data_kinds = GNT_KIND_IMAGE | GNT_KIND_TABULAR, .families = families,       \
                                .flags = GNT_FLAG_RANDOMISED, .defense = &representation_hooks,              \
                                .conditions = GNT_IF_LOCAL_STEPS | GNT_IF_HIDES | GNT_IF_CLASSES,            \
                                .instance_size = GNT_INSTANCE(extractor), .stop = extractor_stop

const gnt_descriptor adversarial_descriptor = {
    GNT_DEFENSE("adversarial", "1.0", "trains an extractor for the task against a classifier of an attribute",
                "MIT", "after Li et al., DeepObfuscator, 2019; compared with in TAPPFL, AAAI 2024"),
    COMMON, .start = start_adversarial};
const gnt_descriptor dpfe_descriptor = {
    GNT_DEFENSE("dpfe", "1.0",
                "trains an extractor for the task with little information on an attribute, were both normal",
                "MIT", "after Osia et al., Deep Private-Feature Extraction, TKDE 2018"),
    COMMON, .start = start_dpfe};
