/* data: sets of samples, real or generated, in one shape for all other rooms.
 *
 * Images are 8-bit, C×H×W per row, and read as floats value/255 in [0, 1]; tables are float features, one-hot
 * and scaled to [0, 1]. Every row has a task label, or a map of what is to be found in its image, and a value
 * for each private attribute. */
#ifndef GNT_DATA_DATA_H
#define GNT_DATA_DATA_H

#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/random.h"

enum { GNT_DATA_ATTRS = 8, GNT_DATA_NAME = 64 };

typedef enum gnt_data_kind { GNT_DATA_IMAGE, GNT_DATA_TABULAR, GNT_DATA_AUDIO } gnt_data_kind;

typedef struct gnt_data_attr {
    char name[GNT_DATA_NAME];
    int32_t values;                /* attribute values are 0 … values−1 */
    const char *const *value_name; /* their names, constant; NULL where there are none */
    int32_t stated, n_stated;      /* first and number of the features that state it; 0 features: none does */
} gnt_data_attr;

typedef struct gnt_data {
    char name[GNT_DATA_NAME];
    gnt_data_kind kind;
    int32_t rank; /* of one sample: 3 (C, H, W) or 1 (features) */
    int64_t dim[3];
    int64_t features; /* product of dim */
    int32_t classes;  /* of a set with maps: H·W, the entries of one */
    int32_t n_attrs;
    gnt_data_attr attr[GNT_DATA_ATTRS];
    uint8_t *pixels; /* rows × features, images only */
    float *table;    /* rows × features, tables only */
    int32_t *label;  /* rows; of a set with maps all 0 */
    int32_t *attrs;  /* rows × n_attrs */
    /* rows × H·W, 1 or 0, images only: what a network is to find in each pixel, in place of a class, and the
     * sensitive region. A set has both or neither. */
    uint8_t *map, *mask;
    int has_maps; /* 1: the set has both; set before its rows are made */
    /* rows: what a row is of (an identity, a speaker), from 0 with gaps. The same number means the
     * same one in all parts. NULL where the set does not know. */
    int32_t *group;
    const char *group_name; /* what a group is, constant: "identity"; NULL where there is no group */
    int64_t rows;           /* train rows, then test rows, then public rows */
    /* how many rows are in the train, test and public parts of the files (public may be 0) */
    int64_t part[3];
    gnt_digest digest;             /* of the content; part of store keys */
    const char *const *class_name; /* names of the classes, constant; NULL where there are none */
    const void *variant;           /* which of the sets that its file defines; read by that file alone */
    int undrawn;                   /* 1: gnt_data_draw is to make the rows that are needed */
} gnt_data;

enum { GNT_PART_TRAIN, GNT_PART_TEST, GNT_PART_PUBLIC };

/* What a task says of its data. */
typedef struct gnt_data_spec {
    const char *name; /* one of gnt_data_names, or the path of a description below the folder of files */
    int64_t rows[3];  /* generated sets: rows of each part (0 = the set's default); files: ignored */
    uint64_t seed;    /* generated sets only; the default set is seed 0 */
} gnt_data_spec;

const char *const *gnt_data_names(size_t *n); /* every set this build knows */
int gnt_data_is_builtin(const char *name);    /* 0 for file sets and unknown names */
/* True if a set is named by its description: the path of a .json file. */
int gnt_data_is_described(const char *name);
/* True if any file of a file set is there; always for built-in sets. */
int gnt_data_present(const char *name, const char *folder);

const char *gnt_data_about(const char *name); /* one line for a list; NULL for unknown names */
/* Returns what a group of rows is, such as "identity"; NULL if rows have no groups. */
const char *gnt_data_group_name(const char *name);
/* Gets the number of rows of each part that a generated set has by default, or that the published files
 * have. Returns −1 for an unknown name. */
int gnt_data_default_rows(const char *name, int64_t rows[3]);
/* Makes a set with the shape, classes, attributes and rows of a file set as it was published, without
 * content. The caller frees it. */
int gnt_data_published(gnt_data **out, const char *name, gnt_err *err);

/* Opens a data set, freed by the caller. folder: --data or GAUNTLET_DATA, NULL when neither is given; only
 * file sets read it (folder/mnist/…, or folder itself). */
int gnt_data_open(gnt_data **out, const gnt_data_spec *spec, const char *folder, gnt_err *err);
/* As above, for a caller that needs some of the rows: a set whose rows are drawn independently of each other
 * has only those that gnt_data_draw makes, and no digest. */
int gnt_data_open_undrawn(gnt_data **out, const gnt_data_spec *spec, const char *folder, gnt_err *err);
/* Draws these rows of such a set; of others it has all. spec: as it was opened with. */
void gnt_data_draw(gnt_data *d, const gnt_data_spec *spec, const int64_t *rows, int64_t n);
void gnt_data_free(gnt_data *d);
/* Returns the number of different groups in one part; 0 if rows have none, −1 when out of memory. */
int64_t gnt_data_groups(const gnt_data *d, int part);
/* Adds an attribute whose value is drawn for each row by itself, so that neither a sample nor its label
 * reveals anything about it. −1 where the set has as many as it may, or without memory. */
int gnt_data_add_coin(gnt_data *d, int32_t values, const gnt_key *key, gnt_err *err);
extern const char gnt_data_coin[]; /* its name */
/* Sets the features that state an attribute to 0 in all rows. −1 where there are none. */
int gnt_data_blank(gnt_data *d, int32_t attribute, gnt_err *err);
void gnt_data_row(const gnt_data *d, int64_t row, float *x); /* features floats */

/* Roles a task draws from, disjoint by construction. */
enum {
    GNT_ROLE_CLIENTS,
    GNT_ROLE_TARGETS,
    GNT_ROLE_TEST,
    GNT_ROLE_PUBLIC,
    GNT_ROLE_SHADOW,          /* the attacker's */
    GNT_ROLE_DEFENDER_SHADOW, /* a defense's own */
    GNT_ROLES
};
extern const char *const gnt_role_names[GNT_ROLES]; /* "clients" … "defender_shadow" */

typedef struct gnt_split {
    int64_t *rows[GNT_ROLES]; /* row numbers into the data set */
    int64_t n[GNT_ROLES];
} gnt_split;

/* How many rows each role takes: −1 = all that remain of its source. CLIENTS, TARGETS and both SHADOWs come
 * from the train part, TEST from the test part, PUBLIC from the public part or, where there is none, from
 * the train part. targets_rows: explicit rows for TARGETS (may be NULL): rows of the part named by
 * targets_part, counted within it. The shuffle is drawn from `key`. A request for more than there is fails
 * with the role, the number wanted and what is left. With target_rows, n[GNT_ROLE_TARGETS] is their number,
 * or −1 or 0. Of the roles that share a source only one may take all that remain. Rows are dealt in the
 * order TARGETS, SHADOW, DEFENDER_SHADOW, PUBLIC, CLIENTS, so that the targets stay the same whatever the
 * other roles take.
 *
 * apart: no group has rows in two of the roles that share a part, or rows among the named targets and in any
 * other role. Groups, shuffled, are dealt whole; what a role does not want of its last one is in no role. */
typedef struct gnt_split_spec {
    int64_t n[GNT_ROLES];
    const int64_t *target_rows;
    int64_t n_target_rows;
    int target_part;
    int64_t first[3]; /* only the first so many rows of each part are used; 0 = all */
    /* n_balance values of attribute `balance`, which stand for rows alike often in each part; rows of other
     * values, and what is too many of one, are in no role but the named targets. 0: all rows */
    int balance;
    const int64_t *balance_value;
    int64_t n_balance;
    int apart; /* 1: by group; an error where the set has none */
} gnt_split_spec;

int gnt_split_make(gnt_split *out, const gnt_data *d, const gnt_split_spec *spec, const gnt_key *key,
                   gnt_err *err);
void gnt_split_free(gnt_split *s);

/* Does the work of `gauntlet data check` for one set: *text says what is in the folder ("complete" or "subset
 * of N", counts and shapes), or what is wrong; as JSON if `json`. Returns 0 if the set is sound, −1 if it is
 * missing or broken; *text says so in both cases (NULL only when out of memory). The caller frees *text with
 * gnt_free. */
int gnt_data_check(const char *name, const char *folder, int json, char **text, gnt_err *err);

/* Does the work of `gauntlet data describe`: *text is a first description of what the folder holds, *notes
 * what the files do not say, a line for each. The caller frees both with gnt_free. */
int gnt_data_describe(const char *folder, char **text, char **notes, gnt_err *err);

#endif
