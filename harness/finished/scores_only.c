#include "finished/scores_only.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "gzip/gzip.h"
#include "result/result.h"

enum { MOST_BYTES = 64 << 20 };

/* The files of a run that make up its scores, and what has been read of each. */
enum { RESULTS, SUITE, HOST, BOARD, FILES };
static const char *const names[FILES] = {"results.json", "suite.json", "host.json", "board.json"};
/* the first of them as it is written */
static const char packed_name[] = "results.json.gz";

typedef struct contents {
    char *text[FILES]; /* NULL: the run has no such file */
    size_t size[FILES];
} contents;

static char *path_of(const char *folder, const char *name, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    if (!path)
        gnt_fail(err, "out of memory");
    return path;
}

/* Reads results.json, drops what refers to pictures, and the costs of each step, and packs the rest. */
static int read_results(const char *path, contents *c, gnt_err *err) {
    gnt_result r;
    gnt_result_clear(&r);
    if (gnt_result_load(&r, path, err) != 0)
        return -1;
    for (size_t i = 0; i < r.cells.n; i++) {
        r.cells.at[i].images = gnt_no_text;
        r.cells.at[i].convergence = (gnt_restarts){0};
    }
    char *text = gnt_result_text(&r, 0);
    gnt_result_free(&r);
    const int rc = !text ? gnt_fail(err, "%s: out of memory", path)
                         : gnt_gzip(path, (const uint8_t *)text, strlen(text), (uint8_t **)&c->text[RESULTS],
                                    &c->size[RESULTS], err);
    gnt_free(text);
    return rc;
}

/* Reads host.json and drops the times of its jobs. */
static int read_host(const char *path, contents *c, gnt_err *err) {
    gnt_doc doc = {0};
    if (gnt_doc_load(&doc, path, MOST_BYTES, err) != 0)
        return -1;
    json_object_del(doc.root, "jobs");
    c->text[HOST] = json_dumps(doc.root, JSON_INDENT(1));
    gnt_doc_free(&doc);
    if (!c->text[HOST])
        return gnt_fail(err, "%s: out of memory", path);
    c->size[HOST] = strlen(c->text[HOST]);
    return 0;
}

static int read_file(const char *path, int file, contents *c, gnt_err *err) {
    if (file > SUITE && !gnt_file_exists(path))
        return 0;
    if (file == RESULTS)
        return read_results(path, c, err);
    if (file == HOST)
        return read_host(path, c, err);
    return gnt_file_read(path, MOST_BYTES, (uint8_t **)&c->text[file], &c->size[file], err);
}

static int read_all(const char *run, contents *c, gnt_err *err) {
    int rc = 0;
    for (int f = 0; f < FILES && rc == 0; f++) {
        char *path = path_of(run, names[f], err);
        rc = path ? read_file(path, f, c, err) : -1;
        gnt_free(path);
    }
    return rc;
}

/* Writes the files. A results.json of an earlier copy in the folder would be read before the packed one. */
static int write_all(const char *to, const contents *c, gnt_err *err) {
    int rc = gnt_make_dirs(to, err);
    for (int f = 0; f < FILES && rc == 0; f++) {
        char *path = path_of(to, f == RESULTS ? packed_name : names[f], err);
        rc = !path ? -1 : c->text[f] ? gnt_file_write(path, c->text[f], c->size[f], err) : 0;
        gnt_free(path);
    }
    char *plain = path_of(to, names[RESULTS], err);
    if (!plain)
        return -1;
    if (rc == 0 && unlink(plain) != 0 && errno != ENOENT)
        rc = gnt_fail(err, "%s: cannot remove: %s", plain, strerror(errno));
    gnt_free(plain);
    return rc;
}

int gnt_scores_write(const char *run, const char *to, gnt_err *err) {
    contents c = {{0}, {0}};
    int rc = read_all(run, &c, err)   ? GNT_SCORES_UNREADABLE
             : write_all(to, &c, err) ? GNT_SCORES_UNWRITTEN
                                      : 0;
    for (int f = 0; f < FILES; f++)
        gnt_free(c.text[f]);
    return rc;
}
