/* format: the formats of results.json (result/result.h), leaderboard.json (board/board_format.h) and
 * capture.json (capture/capture.h), made from their tables of rows. */
#ifndef DOCS_TABLES_FORMAT_H
#define DOCS_TABLES_FORMAT_H

#include "base/err.h"
#include "base/text.h"

/* Appends a row for each key of one kind of object: "results" for the keys of results.json itself, else keys
 * from its root on with dots between, "cells.utility"; "leaderboard" and "leaderboard.places",
 * "capture" and "capture.model" for the others. */
int table_keys(const char *path, gnt_text *out, gnt_err *err);
/* Appends the format whose schema lies at `path`, such as docs/results.schema.json, as a JSON Schema, draft
 * 2020-12. Required are the keys that the reader requires; a key is of the type that is written. The reader
 * skips keys that it does not know. */
int format_schema(const char *path, gnt_text *out, gnt_err *err);

#endif
