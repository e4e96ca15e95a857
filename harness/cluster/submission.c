#include "cluster/submission.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cluster/command.h"
#include "cluster/script.h"

enum { MOST_RECORD = 1 << 16, MOST_ARGUMENTS = 128, MOST_TEXT = 1 << 20, MOST_OWN = 20 };

char *gnt_slurm_name(const char *suite_name, const char *folder) {
    char hex[GNT_HEX_SIZE];
    gnt_digest d = gnt_digest_bytes(folder, strlen(folder));
    gnt_digest_hex(&d, hex);
    return gnt_format("gauntlet-%s-%.8s", suite_name, hex);
}

/* ---- the two commands ---- */

typedef struct sbatch {
    const char *argv[MOST_ARGUMENTS + 1];
    size_t n;
    /* The arguments that it owns. */
    char *own[MOST_OWN];
    size_t n_own;
    int failed;
} sbatch;

static void add(sbatch *b, const char *argument) {
    if (b->n < MOST_ARGUMENTS)
        b->argv[b->n++] = argument;
    else
        b->failed = 1;
}

static void add_own(sbatch *b, char *argument) {
    if (!argument || b->n_own == MOST_OWN) {
        gnt_free(argument);
        b->failed = 1;
        return;
    }
    b->own[b->n_own++] = argument;
    add(b, argument);
}

static void free_sbatch(sbatch *b) {
    for (size_t i = 0; i < b->n_own; i++)
        gnt_free(b->own[i]);
}

/* Returns the path with each % doubled, as Slurm wants it in the name of a log. The caller frees. */
static char *doubled(const char *path) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    for (; *path; path++)
        gnt_text_add(&t, *path == '%' ? "%%%%" : "%c", *path);
    return gnt_text_take(&t);
}

/* Makes the command. after: the number of the array that the gathering job waits for; NULL: the array
 * itself. */
static int make_sbatch(sbatch *b, const gnt_slurm_request *request, const char *after, gnt_err *err) {
    char *folder = doubled(request->folder), *name = gnt_slurm_name(request->suite_name, request->folder);
    *b = (sbatch){0};
    add(b, "sbatch");
    add(b, "--parsable");
    add_own(b, name ? gnt_format("--job-name=%s", name) : NULL);
    if (after)
        add_own(b, gnt_format("--dependency=afterany:%s", after));
    else
        add_own(b, gnt_format("--array=1-%" PRId64, request->workers));
    add(b, "--requeue");
    add(b, "--open-mode=append");
    add(b, "--signal=B:USR1@60");
    add(b, "--ntasks=1");
    add_own(b, gnt_format("--cpus-per-task=%" PRId64, request->jobs));
    add_own(b, gnt_format("--mem=%s", request->mem));
    add_own(b, gnt_format("--time=%s", request->time));
    if (request->partition)
        add_own(b, gnt_format("--partition=%s", request->partition));
    add_own(b, gnt_format("--chdir=%s", request->working_folder));
    add_own(b, folder ? gnt_format("--output=%s/slurm/log/%s", folder, after ? "gather.txt" : "worker-%a.txt")
                      : NULL);
    for (size_t i = 0; request->options && request->options[i]; i++)
        add(b, request->options[i]);
    add_own(b, gnt_format("%s/slurm/%s.sh", request->folder, after ? "gather" : "worker"));
    gnt_free(folder);
    gnt_free(name);
    if (!b->failed)
        return 0;
    free_sbatch(b);
    return gnt_fail(err, "more than %d arguments for sbatch, or out of memory", MOST_ARGUMENTS);
}

/* Adds the script, then the command that submits it. */
static int show(gnt_text *t, const gnt_slurm_request *request, const char *after, gnt_err *err) {
    sbatch b;
    if (make_sbatch(&b, request, after, err) != 0)
        return -1;
    gnt_text_add(t, "# ---- %s\n", b.argv[b.n - 1]);
    gnt_slurm_script(t, request->program, request->run, after ? "--gather" : "--share -q");
    gnt_text_add(t, "# ---- submitted by\n");
    gnt_shell_words(t, b.argv);
    gnt_text_add(t, "\n\n");
    free_sbatch(&b);
    return 0;
}

char *gnt_slurm_dry(const gnt_slurm_request *request, gnt_err *err) {
    gnt_text t;
    gnt_text_init(&t, MOST_TEXT);
    if (show(&t, request, NULL, err) != 0 || show(&t, request, "NUMBER-OF-THE-ARRAY", err) != 0) {
        gnt_text_free(&t);
        return NULL;
    }
    char *text = gnt_text_take(&t);
    if (!text)
        gnt_fail(err, "out of memory for the scripts");
    return text;
}

/* ---- submitting ---- */

static int write_script(const gnt_slurm_request *request, const char *name, const char *last, gnt_err *err) {
    gnt_text t;
    char *path = gnt_format("%s/slurm/%s.sh", request->folder, name);
    gnt_text_init(&t, MOST_TEXT);
    gnt_slurm_script(&t, request->program, request->run, last);
    int rc = path && !t.failed ? gnt_file_write(path, gnt_text_get(&t), t.size, err)
                               : gnt_fail(err, "out of memory for a script");
    gnt_text_free(&t);
    gnt_free(path);
    return rc;
}

/* Returns the number in a line "12" or "12;cluster", the last such line of what sbatch printed: sites have it
 * print more. The caller frees; NULL: there is none. */
static char *number_in(const char *printed) {
    char *number = NULL;
    for (const char *line = printed; *line;) {
        const size_t n = strcspn(line, "\n"), digits = strspn(line, "0123456789");
        if (digits > 0 && digits < 20 && (digits == n || line[digits] == ';')) {
            gnt_free(number);
            number = gnt_format("%.*s", (int)digits, line);
        }
        line += n + (line[n] == '\n');
    }
    return number;
}

static void fail_to_submit(int code, const char *printed, const char *errors, gnt_err *err) {
    if (code == 0)
        gnt_fail(err,
                 "sbatch printed no number of a job, but: %.400s%.400s; a job may wait in the queue: see "
                 "`squeue --me`, and cancel it",
                 printed, errors);
    else
        gnt_fail(
            err, "sbatch refused with exit code %d: %.800s%s", code, errors,
            strstr(errors, "array")
                ? "; the site may allow fewer tasks in an array: fewer workers (--array) do the same work"
                : "");
}

/* Submits one job and returns its number. The caller frees; NULL with a sentence. */
static char *submit_one(const gnt_slurm_request *request, const char *after, gnt_err *err) {
    sbatch b;
    gnt_text out, errors;
    int code = 0;
    char *number = NULL;
    if (make_sbatch(&b, request, after, err) != 0)
        return NULL;
    gnt_text_init(&out, GNT_COMMAND_MOST);
    gnt_text_init(&errors, GNT_COMMAND_MOST);
    if (gnt_command(b.argv, &out, &errors, &code, err) == 0) {
        number = code == 0 ? number_in(gnt_text_get(&out)) : NULL;
        if (!number)
            fail_to_submit(code, gnt_text_get(&out), gnt_text_get(&errors), err);
    }
    gnt_text_free(&out);
    gnt_text_free(&errors);
    free_sbatch(&b);
    return number;
}

static int write_record(const char *folder, const gnt_submission *s, gnt_err *err) {
    json_t *all =
        json_pack("{s:i, s:s, s:s?, s:s, s:I, s:I}", "format", 1, "array", s->array, "gather", s->gather,
                  "name", s->name, "workers", (json_int_t)s->workers, "jobs", (json_int_t)s->jobs);
    char *path = gnt_format("%s/slurm/submission.json", folder), *text = all ? gnt_json_canonical(all) : NULL;
    int rc = path && text ? gnt_file_write(path, text, strlen(text), err)
                          : gnt_fail(err, "out of memory for the record of a submission");
    json_decref(all);
    gnt_free(text);
    gnt_free(path);
    return rc;
}

static void cancel(const char *number) {
    const char *const argv[] = {"scancel", number, NULL};
    gnt_text out, errors;
    int code;
    gnt_text_init(&out, GNT_COMMAND_MOST);
    gnt_text_init(&errors, GNT_COMMAND_MOST);
    gnt_command(argv, &out, &errors, &code, NULL);
    gnt_text_free(&out);
    gnt_text_free(&errors);
}

int gnt_slurm_submit(const gnt_slurm_request *request, gnt_submission *done, gnt_err *err) {
    char *log = gnt_format("%s/slurm/log", request->folder);
    *done = (gnt_submission){.workers = request->workers, .jobs = request->jobs};
    done->name = gnt_slurm_name(request->suite_name, request->folder);
    int rc = log && done->name ? gnt_make_dirs(log, err) : gnt_fail(err, "out of memory");
    gnt_free(log);
    if (rc == 0)
        rc = write_script(request, "worker", "--share -q", err) != 0 ||
                     write_script(request, "gather", "--gather", err) != 0
                 ? -1
                 : 0;
    if (rc == 0 && !(done->array = submit_one(request, NULL, err)))
        rc = -1;
    if (rc == 0 && (!(done->gather = submit_one(request, done->array, err)) ||
                    write_record(request->folder, done, err) != 0)) {
        cancel(done->array);
        if (done->gather)
            cancel(done->gather);
        rc = -1;
    }
    if (rc != 0)
        gnt_submission_free(done);
    return rc;
}

/* ---- the record ---- */

void gnt_submission_free(gnt_submission *s) {
    gnt_free(s->array);
    gnt_free(s->gather);
    gnt_free(s->name);
    *s = (gnt_submission){0};
}

static int is_number(const char *text) {
    return text && *text && strlen(text) < 20 && strspn(text, "0123456789") == strlen(text);
}

/* Reads the record, and refuses texts that this program does not write: they become arguments of commands. */
static int read_record(const gnt_doc *doc, gnt_submission *s) {
    const char *array = json_string_value(json_object_get(doc->root, "array"));
    const char *gather = json_string_value(json_object_get(doc->root, "gather"));
    const char *name = json_string_value(json_object_get(doc->root, "name"));
    const json_int_t workers = json_integer_value(json_object_get(doc->root, "workers"));
    const json_int_t jobs = json_integer_value(json_object_get(doc->root, "jobs"));
    if (!is_number(array) || !is_number(gather) || !name || strncmp(name, "gauntlet-", 9) != 0 ||
        !gnt_text_ok(name, 1, 300) || strpbrk(name, ", ") || workers < 1 || jobs < 1)
        return -1;
    *s = (gnt_submission){.array = gnt_strdup(array),
                          .gather = gnt_strdup(gather),
                          .name = gnt_strdup(name),
                          .workers = workers,
                          .jobs = jobs};
    return s->array && s->gather && s->name ? 0 : -1;
}

int gnt_submission_load(const char *folder, gnt_submission *s, int *there, gnt_err *err) {
    char *path = gnt_format("%s/slurm/submission.json", folder);
    gnt_doc doc;
    int rc = path ? 0 : gnt_fail(err, "out of memory");
    *s = (gnt_submission){0};
    *there = path && gnt_file_exists(path);
    if (rc == 0 && *there && (rc = gnt_doc_load(&doc, path, MOST_RECORD, err)) == 0) {
        if (read_record(&doc, s) != 0) {
            gnt_submission_free(s);
            rc = gnt_fail(err,
                          "%s: is no record of `gauntlet slurm`; expected \"array\", \"gather\", \"name\", "
                          "\"workers\" and \"jobs\"",
                          path);
        }
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return rc;
}
