#include "plugin/abi_words.h"

#include "gauntlet/plugin.h"
#include "plugin/info.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define WORDS(public_name, ...)                                                                              \
    static const gnt_word public_name##_table[] = {__VA_ARGS__};                                             \
    const gnt_words public_name = {public_name##_table, COUNT(public_name##_table)}

WORDS(gnt_kind_words, {"defense", GNT_PLUGIN_DEFENSE}, {"attack", GNT_PLUGIN_ATTACK});
WORDS(gnt_surface_words, {"update", GNT_SURFACE_UPDATE}, {"encoding", GNT_SURFACE_ENCODING},
      {"representation", GNT_SURFACE_REPRESENTATION}, {"transcript", GNT_SURFACE_TRANSCRIPT});
WORDS(gnt_goal_words, {"reconstruction", GNT_GOAL_RECONSTRUCTION}, {"attribute", GNT_GOAL_ATTRIBUTE},
      {"label", GNT_GOAL_LABEL}, {"contribution", GNT_GOAL_CONTRIBUTION}, {"region", GNT_GOAL_REGION},
      {"membership", GNT_GOAL_MEMBERSHIP});
WORDS(gnt_knowledge_words, {"labels", GNT_KNOWS_LABELS}, {"defense", GNT_KNOWS_DEFENSE},
      {"public", GNT_KNOWS_PUBLIC}, {"shadow", GNT_KNOWS_SHADOW},
      {"shadow_observations", GNT_KNOWS_SHADOW_OBS}, {"bn_stats", GNT_KNOWS_BN_STATS},
      {"rates", GNT_KNOWS_RATES}, {"region", GNT_KNOWS_REGION}, {"sum", GNT_KNOWS_SUM},
      {"attribute", GNT_KNOWS_ATTRIBUTE}, {"history", GNT_KNOWS_HISTORY}, {"order", GNT_KNOWS_ORDER},
      {"defense_private", GNT_KNOWS_DEFENSE_PRIVATE}, {"prior_data", GNT_KNOWS_PRIOR_DATA});
WORDS(gnt_data_kind_words, {"image", GNT_KIND_IMAGE}, {"tabular", GNT_KIND_TABULAR},
      {"audio", GNT_KIND_AUDIO});
WORDS(gnt_flag_words, {"randomised", GNT_FLAG_RANDOMISED}, {"needs_public", GNT_FLAG_NEEDS_PUBLIC},
      {"needs_shadow", GNT_FLAG_NEEDS_SHADOW}, {"no_gradient", GNT_FLAG_NO_GRADIENT},
      {"artefacts_private", GNT_FLAG_ARTEFACTS_PRIVATE}, {"first_dense", GNT_FLAG_FIRST_DENSE},
      {"active", GNT_FLAG_ACTIVE}, {"takes_start", GNT_FLAG_TAKES_START},
      {"prepares_once", GNT_FLAG_PREPARES_ONCE}, {"budget_schedule", GNT_FLAG_BUDGET_SCHEDULE},
      {"resumes", GNT_FLAG_RESUMES});
WORDS(gnt_condition_words, {"one_sample", GNT_IF_ONE_SAMPLE}, {"one_step", GNT_IF_ONE_STEP},
      {"classes", GNT_IF_CLASSES}, {"local_steps", GNT_IF_LOCAL_STEPS}, {"dense", GNT_IF_DENSE},
      {"whole_model", GNT_IF_WHOLE_MODEL}, {"hides", GNT_IF_HIDES}, {"named", GNT_IF_NAMED},
      {"only_named", GNT_IF_ONLY_NAMED});
WORDS(gnt_scope_words, {"none", GNT_SCOPE_NONE}, {"task", GNT_SCOPE_TASK}, {"stage", GNT_SCOPE_STAGE});
WORDS(gnt_type_words, {"bool", GNT_TYPE_BOOL}, {"int", GNT_TYPE_INT}, {"real", GNT_TYPE_REAL},
      {"text", GNT_TYPE_TEXT}, {"choice", GNT_TYPE_CHOICE}, {"int_list", GNT_TYPE_INT_LIST},
      {"real_list", GNT_TYPE_REAL_LIST}, {"model", GNT_TYPE_MODEL});
WORDS(gnt_scale_words, {"linear", GNT_SCALE_LINEAR}, {"log", GNT_SCALE_LOG},
      {"complement", GNT_SCALE_COMPLEMENT});
WORDS(gnt_hook_words, {"prepare", GNT_HOOK_PREPARE}, {"contribute", GNT_HOOK_CONTRIBUTE},
      {"encode_set", GNT_HOOK_ENCODE_SET}, {"encode_batch", GNT_HOOK_ENCODE_BATCH},
      {"local_rate", GNT_HOOK_LOCAL_RATE}, {"client_update", GNT_HOOK_CLIENT_UPDATE},
      {"transform_update", GNT_HOOK_TRANSFORM_UPDATE}, {"aggregate", GNT_HOOK_AGGREGATE},
      {"state", GNT_HOOK_STATE}, {"encode_query", GNT_HOOK_ENCODE_QUERY}, {"run", GNT_HOOK_RUN},
      {"broadcast", GNT_HOOK_BROADCAST});
