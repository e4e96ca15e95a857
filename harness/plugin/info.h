/* info: a deep, checked copy of a plugin's descriptor, for processes that do not load plugins.
 *
 * A worker that has the plugin open makes one from the descriptor and prints it as JSON; the scheduler reads
 * the JSON as hostile input. Both ways apply the same checks: ids are valid, text is printable UTF-8 of
 * bounded length, defaults lie inside their ranges, at most one parameter is THE strength, every enumeration
 * and bit is known. Bits that a later minor version added are refused by name rather than dropped. */
#ifndef GNT_PLUGIN_INFO_H
#define GNT_PLUGIN_INFO_H

#include <stdint.h>

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "gauntlet/plugin.h"

enum {
    GNT_PLUGIN_ID = 48,      /* greatest length of ids of plugins, parameters and services */
    GNT_PLUGIN_LINE = 400,   /* of one-line texts */
    GNT_PLUGIN_TEXT = 2000,  /* of citations and default texts */
    GNT_PLUGIN_PARAMS = 128, /* rows of a table */
    GNT_PLUGIN_CHOICES = 64,
    GNT_PLUGIN_SERVICES = 32,
    GNT_PLUGIN_FAMILIES = 32,
    GNT_PLUGIN_LIST = 4096,       /* entries of a list parameter */
    GNT_PLUGIN_FILE_ENTRIES = 256 /* descriptors of one file */
};

/* The hooks of a plugin. */
#define GNT_HOOK_PREPARE (1u << 0)
#define GNT_HOOK_CONTRIBUTE (1u << 1) /* contribute_size, contribute and receive_sum: all or none */
#define GNT_HOOK_ENCODE_SET (1u << 2)
#define GNT_HOOK_ENCODE_BATCH (1u << 3)
#define GNT_HOOK_LOCAL_RATE (1u << 4)
#define GNT_HOOK_CLIENT_UPDATE (1u << 5)
#define GNT_HOOK_TRANSFORM_UPDATE (1u << 6)
#define GNT_HOOK_AGGREGATE (1u << 7)
#define GNT_HOOK_STATE (1u << 8) /* save and load: both or none */
#define GNT_HOOK_RUN (1u << 9)   /* attacks */
#define GNT_HOOK_ENCODE_QUERY (1u << 10)
#define GNT_HOOK_BROADCAST (1u << 11) /* attacks; reserved */

typedef struct gnt_plugin_info {
    int32_t kind; /* GNT_PLUGIN_* */
    char *id, *version, *line, *licence, *citation;
    gnt_parameter *parameters; /* deep copies; use as a table wherever a descriptor's own could be used */
    int32_t n_parameters;
    int32_t strength; /* index of THE strength, −1 for none */
    int32_t scope;
    uint32_t surfaces, goals, needs, uses, data_kinds, flags, hooks, conditions;
    int64_t least_public, least_shadow;
    char **services; /* ids of required extensions */
    int32_t n_services;
    char **families; /* as in gnt_descriptor */
    int32_t n_families;
    int32_t abi_major, abi_minor;
    int32_t index;             /* of the descriptor within its file */
    char *file;                /* path of the shared object; "" when not known */
    char digest[GNT_HEX_SIZE]; /* of that file's bytes, hex; "" when not known */
} gnt_plugin_info;

/* Returns the knowledge that an attack uses if granted: one that uses the defense's artefacts, or shadow
 * observations, uses private artefacts too. */
static inline uint32_t gnt_info_knowledge(const gnt_plugin_info *p) {
    uint32_t bits = p->needs | p->uses;
    return bits & (GNT_KNOWS_DEFENSE | GNT_KNOWS_SHADOW_OBS) ? bits | GNT_KNOWS_DEFENSE_PRIVATE : bits;
}

/* True if an id is valid: 1 … GNT_PLUGIN_ID characters of a–z, 0–9 and `joint` ('-' for plugins, '_' for
 * parameters, '.' and the like nowhere), beginning with a letter. */
int gnt_id_ok(const char *id, char joint);

/* Copies a descriptor deeply; `file` and `digest` may be NULL. On failure the message names the file, the
 * plugin and the field, and *out is empty. Free with gnt_info_free. */
int gnt_info_of_descriptor(gnt_plugin_info *out, const gnt_descriptor *d, const char *file,
                           const char *digest, int32_t index, gnt_err *err);
void gnt_info_free(gnt_plugin_info *info); /* leaves it empty; an empty one is allowed */

/* Writes the info as a JSON object, which reads back to an equal info and the same text. */
void gnt_info_write(gnt_text *out, const gnt_plugin_info *info);
/* Reads an info from `object`, at `path` in `doc`. Unknown, missing and mistyped members are errors. */
int gnt_info_parse(gnt_plugin_info *out, const gnt_doc *doc, const char *path, const json_t *object,
                   gnt_err *err);

/* ---- lists ---- */

typedef struct gnt_refusal { /* a file that could not be described, and why */
    char *file;
    char *sentence;
} gnt_refusal;

typedef struct gnt_plugin_list {
    gnt_plugin_info *info; /* sorted by kind (defenses first), then id */
    size_t n;
    gnt_refusal *refused;
    size_t n_refused;
} gnt_plugin_list;

void gnt_plugin_list_free(gnt_plugin_list *list);
/* Moves *info into the list (it is empty afterwards). A second plugin of the same kind and id is an error
 * that names both files. Invalidates pointers to earlier entries. */
int gnt_plugin_list_add(gnt_plugin_list *list, gnt_plugin_info *info, gnt_err *err);
int gnt_plugin_list_refuse(gnt_plugin_list *list, const char *file, const char *sentence, gnt_err *err);
/* Returns the plugin, or NULL. */
const gnt_plugin_info *gnt_plugin_list_find(const gnt_plugin_list *list, int32_t kind, const char *id);
/* Returns the id of that kind that is nearest to one, or NULL if none is near enough to suggest. */
const char *gnt_plugin_list_near(const gnt_plugin_list *list, int32_t kind, const char *id);
/* Finds a plugin as above, but NULL comes with a message that begins with `where`, and names the nearest id
 * of that kind and the refused files, if any. */
const gnt_plugin_info *gnt_plugin_list_need(const gnt_plugin_list *list, int32_t kind, const char *id,
                                            const char *where, gnt_err *err);

#endif
