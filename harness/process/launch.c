#include "process/launch.h"

enum { MOST_PIECES = 4096, MOST_FILES = 64 };

static const gnt_word layers[] = {
    {"landlock", GNT_SANDBOX_LANDLOCK}, {"userns", GNT_SANDBOX_NAMESPACES}, {"seccomp", GNT_SANDBOX_SECCOMP}};
const gnt_words gnt_sandbox_layer_words = {layers, sizeof layers / sizeof *layers};

static const gnt_word levels[] = {
    {"weak", GNT_SANDBOX_WEAK}, {"partial", GNT_SANDBOX_PARTIAL}, {"full", GNT_SANDBOX_FULL}};
const gnt_words gnt_sandbox_level_words = {levels, sizeof levels / sizeof *levels};

static const gnt_field piece_rows[] = {
    {GNT_FIELD(gnt_launch_piece, name, TEXT)},
    {GNT_FIELD(gnt_launch_piece, fd, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_launch_piece, digest, TEXT), .optional = 1},
};
static const gnt_fields piece_fields = GNT_FIELDS_OF(gnt_launch_piece, piece_rows);

static const gnt_field sandbox_rows[] = {
    {GNT_FIELD(gnt_sandbox_spec, files, TEXTS), .most_entries = MOST_FILES},
    {GNT_FIELD(gnt_sandbox_spec, may_fork, FLAG)},
    {GNT_FIELD(gnt_sandbox_spec, options.without, BITS), .words = &gnt_sandbox_layer_words},
    {GNT_FIELD(gnt_sandbox_spec, options.landlock_most, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_sandbox_spec, options.least, WORD), .words = &gnt_sandbox_level_words},
};
static const gnt_fields sandbox_fields = GNT_FIELDS_OF(gnt_sandbox_spec, sandbox_rows);

static const gnt_field checkpoint_rows[] = {
    {GNT_FIELD(gnt_launch_checkpoint, path, TEXT)},
    {GNT_FIELD(gnt_launch_checkpoint, job, TEXT)},
    {GNT_FIELD(gnt_launch_checkpoint, program, TEXT)},
    {GNT_FIELD(gnt_launch_checkpoint, seconds, REAL)},
};
static const gnt_fields checkpoint_fields = GNT_FIELDS_OF(gnt_launch_checkpoint, checkpoint_rows);

static const gnt_field memo_rows[] = {
    {GNT_FIELD(gnt_launch_memo, fd, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_launch_memo, job, TEXT)},
};
static const gnt_fields memo_fields = GNT_FIELDS_OF(gnt_launch_memo, memo_rows);

static const gnt_field launch_rows[] = {
    {GNT_FIELD(gnt_launch, inputs, LIST), .group = &piece_fields, .most_entries = MOST_PIECES},
    {GNT_FIELD(gnt_launch, outputs, LIST), .group = &piece_fields, .most_entries = MOST_PIECES},
    {GNT_FIELD(gnt_launch, sockets, LIST), .group = &piece_fields, .most_entries = MOST_PIECES},
    {GNT_FIELD(gnt_launch, memory, INT)},
    {GNT_FIELD(gnt_launch, sandbox, GROUP), .group = &sandbox_fields, .optional = 1},
    {GNT_FIELD(gnt_launch, checkpoint, GROUP), .group = &checkpoint_fields, .optional = 1},
    {GNT_FIELD(gnt_launch, memo, GROUP), .group = &memo_fields, .optional = 1},
};
const gnt_fields gnt_launch_fields = GNT_FIELDS_OF(gnt_launch, launch_rows);
