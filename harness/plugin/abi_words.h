/* abi_words: the names of bits and enumerations of the plugin ABI in JSON, suites and messages. */
#ifndef GNT_PLUGIN_ABI_WORDS_H
#define GNT_PLUGIN_ABI_WORDS_H

#include "base/words.h"

extern const gnt_words gnt_condition_words;
extern const gnt_words gnt_kind_words;    /* GNT_PLUGIN_*: defense, attack */
extern const gnt_words gnt_surface_words; /* GNT_SURFACE_*: update, encoding, representation, transcript */
extern const gnt_words gnt_goal_words;    /* GNT_GOAL_*: reconstruction, attribute, label, contribution */
/* GNT_KNOWS_*: labels, defense, public, shadow, shadow_observations … */
extern const gnt_words gnt_knowledge_words;
extern const gnt_words gnt_data_kind_words; /* GNT_KIND_*: image, tabular, audio */
extern const gnt_words gnt_flag_words;      /* GNT_FLAG_* */
extern const gnt_words gnt_scope_words;     /* GNT_SCOPE_*: none, task, stage */
extern const gnt_words gnt_type_words;  /* GNT_TYPE_*: bool, int, real, text, choice, int_list, real_list */
extern const gnt_words gnt_scale_words; /* GNT_SCALE_*: linear, log, complement */
extern const gnt_words gnt_hook_words;  /* GNT_HOOK_* of info.h */

#endif
