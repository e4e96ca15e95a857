/* The words of scripts for the bits and numbers of the ABI, those of the host's harness/plugin/abi_words.c,
 * which tests/e2e/python compares. */
#include "core.h"

typedef struct word {
    const char *name;
    long value;
} word;

static const word surfaces[] = {{"update", GNT_SURFACE_UPDATE},
                                {"encoding", GNT_SURFACE_ENCODING},
                                {"representation", GNT_SURFACE_REPRESENTATION},
                                {"transcript", GNT_SURFACE_TRANSCRIPT},
                                {0}};
static const word goals[] = {{"reconstruction", GNT_GOAL_RECONSTRUCTION},
                             {"attribute", GNT_GOAL_ATTRIBUTE},
                             {"label", GNT_GOAL_LABEL},
                             {"contribution", GNT_GOAL_CONTRIBUTION},
                             {"region", GNT_GOAL_REGION},
                             {"membership", GNT_GOAL_MEMBERSHIP},
                             {0}};
static const word knowledge[] = {{"labels", GNT_KNOWS_LABELS},
                                 {"defense", GNT_KNOWS_DEFENSE},
                                 {"public", GNT_KNOWS_PUBLIC},
                                 {"shadow", GNT_KNOWS_SHADOW},
                                 {"shadow_observations", GNT_KNOWS_SHADOW_OBS},
                                 {"bn_stats", GNT_KNOWS_BN_STATS},
                                 {"rates", GNT_KNOWS_RATES},
                                 {"region", GNT_KNOWS_REGION},
                                 {"sum", GNT_KNOWS_SUM},
                                 {"attribute", GNT_KNOWS_ATTRIBUTE},
                                 {"history", GNT_KNOWS_HISTORY},
                                 {"order", GNT_KNOWS_ORDER},
                                 {"defense_private", GNT_KNOWS_DEFENSE_PRIVATE},
                                 {"prior_data", GNT_KNOWS_PRIOR_DATA},
                                 {0}};
static const word data_kinds[] = {
    {"image", GNT_KIND_IMAGE}, {"tabular", GNT_KIND_TABULAR}, {"audio", GNT_KIND_AUDIO}, {0}};
static const word flags[] = {{"randomised", GNT_FLAG_RANDOMISED},
                             {"needs_public", GNT_FLAG_NEEDS_PUBLIC},
                             {"needs_shadow", GNT_FLAG_NEEDS_SHADOW},
                             {"no_gradient", GNT_FLAG_NO_GRADIENT},
                             {"artefacts_private", GNT_FLAG_ARTEFACTS_PRIVATE},
                             {"first_dense", GNT_FLAG_FIRST_DENSE},
                             {"active", GNT_FLAG_ACTIVE},
                             {"takes_start", GNT_FLAG_TAKES_START},
                             {"prepares_once", GNT_FLAG_PREPARES_ONCE},
                             {"budget_schedule", GNT_FLAG_BUDGET_SCHEDULE},
                             {"resumes", GNT_FLAG_RESUMES},
                             {0}};
static const word conditions[] = {{"one_sample", GNT_IF_ONE_SAMPLE}, {"one_step", GNT_IF_ONE_STEP},
                                  {"classes", GNT_IF_CLASSES},       {"local_steps", GNT_IF_LOCAL_STEPS},
                                  {"dense", GNT_IF_DENSE},           {"whole_model", GNT_IF_WHOLE_MODEL},
                                  {"hides", GNT_IF_HIDES},           {"named", GNT_IF_NAMED},
                                  {"only_named", GNT_IF_ONLY_NAMED}, {0}};
static const word scopes[] = {
    {"none", GNT_SCOPE_NONE}, {"task", GNT_SCOPE_TASK}, {"stage", GNT_SCOPE_STAGE}, {0}};
static const word types[] = {
    {"bool", GNT_TYPE_BOOL},           {"int", GNT_TYPE_INT},       {"real", GNT_TYPE_REAL},
    {"text", GNT_TYPE_TEXT},           {"choice", GNT_TYPE_CHOICE}, {"int_list", GNT_TYPE_INT_LIST},
    {"real_list", GNT_TYPE_REAL_LIST}, {"model", GNT_TYPE_MODEL},   {0}};
static const word scales[] = {
    {"linear", GNT_SCALE_LINEAR}, {"log", GNT_SCALE_LOG}, {"complement", GNT_SCALE_COMPLEMENT}, {0}};
static const word functions[] = {{"features", GNT_FN_FEATURES}, {"logits", GNT_FN_LOGITS},
                                 {"loss", GNT_FN_LOSS},         {"update", GNT_FN_UPDATE},
                                 {"match", GNT_FN_MATCH},       {0}};
static const word costs[] = {{"l2", GNT_COST_L2},
                             {"cosine", GNT_COST_COSINE},
                             {"l1", GNT_COST_L1},
                             {"scale_free", GNT_COST_SCALE_FREE},
                             {0}};
static const word variables[] = {
    {"x", GNT_WRT_X}, {"y", GNT_WRT_Y}, {"weights", GNT_WRT_WEIGHTS}, {"rates", GNT_WRT_RATES}, {0}};
static const word endings[] = {{"unknown", GNT_ENDED_UNKNOWN},
                               {"budget", GNT_ENDED_BUDGET},
                               {"tolerance", GNT_ENDED_TOLERANCE},
                               {"stall", GNT_ENDED_STALL},
                               {0}};

static const struct {
    const char *name;
    const word *words;
} tables[] = {{"surfaces", surfaces},     {"goals", goals}, {"knowledge", knowledge},
              {"data_kinds", data_kinds}, {"flags", flags}, {"conditions", conditions},
              {"scopes", scopes},         {"types", types}, {"scales", scales},
              {"functions", functions},   {"costs", costs}, {"variables", variables},
              {"endings", endings}};

PyObject *core_words(void) {
    PyObject *all = PyDict_New();
    for (size_t i = 0; all && i < sizeof tables / sizeof *tables; i++) {
        PyObject *one = PyDict_New();
        int bad = !one || PyDict_SetItemString(all, tables[i].name, one) != 0;
        Py_XDECREF(one); /* the dictionary of all keeps it */
        for (const word *w = tables[i].words; !bad && w->name; w++) {
            PyObject *value = PyLong_FromLong(w->value);
            bad = !value || PyDict_SetItemString(one, w->name, value) != 0;
            Py_XDECREF(value);
        }
        if (bad)
            Py_CLEAR(all);
    }
    return all;
}
