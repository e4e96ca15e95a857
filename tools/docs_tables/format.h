/* format: the format of results.json, made from its row tables (result/result.h). */
#ifndef DOCS_TABLES_FORMAT_H
#define DOCS_TABLES_FORMAT_H

#include "base/err.h"
#include "base/text.h"

/* Appends a row for each key of one kind of object: "results" for the file's own, else keys from the file's
 * root on with dots between, "cells.utility". */
int table_keys(const char *path, gnt_text *out, gnt_err *err);
/* Appends the whole as a JSON Schema, draft 2020-12. Required are the keys that the reader requires; a key is
 * of the type that is written. The reader skips keys that it does not know. */
int format_schema(gnt_text *out, gnt_err *err);

#endif
