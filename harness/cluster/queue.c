#include "cluster/queue.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cluster/command.h"

enum { MOST_LINE = 4096 };

/* Adds the line as an object if it has as many fields as there are names. */
static void add_line(json_t *list, const char *line, size_t size, const char *const *names, size_t n) {
    json_t *one = json_object();
    size_t field = 0;
    for (size_t from = 0, at = 0; one && at <= size; at++) {
        if (at < size && line[at] != '|')
            continue;
        json_t *value = json_stringn(line + from, at - from); /* NULL if it is not UTF-8 */
        if (field < n)
            json_object_set_new(one, names[field], value ? value : json_string("?"));
        else
            json_decref(value);
        field++;
        from = at + 1;
    }
    if (field == n)
        json_array_append(list, one);
    json_decref(one);
}

json_t *gnt_queue_parse(const char *text, const char *const *names, size_t n) {
    json_t *list = json_array();
    while (list && *text) {
        const size_t size = strcspn(text, "\n");
        if (size && size < MOST_LINE)
            add_line(list, text, size, names, n);
        text += size + (text[size] == '\n');
    }
    return list;
}

/* Returns what a command printed, as lines of fields; NULL with a sentence if it failed. */
static json_t *query(const char *const *argv, const char *const *names, size_t n, gnt_err *err) {
    gnt_text out, errors;
    int code = 0;
    json_t *list = NULL;
    gnt_text_init(&out, GNT_COMMAND_MOST);
    gnt_text_init(&errors, GNT_COMMAND_MOST);
    if (gnt_command(argv, &out, &errors, &code, err) == 0) {
        if (code != 0)
            gnt_fail(err, "%s ended with exit code %d: %.800s", argv[0], code, gnt_text_get(&errors));
        else if (out.failed || !(list = gnt_queue_parse(gnt_text_get(&out), names, n)))
            gnt_fail(err, "out of memory for what %s said", argv[0]);
    }
    gnt_text_free(&out);
    gnt_text_free(&errors);
    return list;
}

json_t *gnt_queue_read(const char *name, gnt_err *err) {
    static const char *const names[] = {"id", "shown", "state", "node", "reason"};
    const char *const argv[] = {"squeue", "--noheader", "--array", "--name", name, "--format=%A|%i|%T|%N|%r",
                                NULL};
    return query(argv, names, 5, err);
}

json_t *gnt_queue_ended(const gnt_submission *s, gnt_err *err) {
    static const char *const names[] = {"shown", "state", "node"};
    static const char *const no_news[] = {"COMPLETED", "PENDING", "RUNNING", "REQUEUED", "COMPLETING"};
    char *jobs = gnt_format("%s,%s", s->array, s->gather);
    const char *const argv[] = {"sacct",
                                "--noheader",
                                "--allocations",
                                "--parsable2",
                                "--jobs",
                                jobs ? jobs : "",
                                "--format=JobID,State,NodeList",
                                NULL};
    json_t *all = query(argv, names, 3, NULL), *list = json_array();
    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *state = json_string_value(json_object_get(json_array_get(all, i), "state"));
        int news = 1;
        for (size_t k = 0; k < sizeof no_news / sizeof *no_news; k++)
            news &= strncmp(state, no_news[k], strlen(no_news[k])) != 0;
        if (news)
            json_array_append(list, json_array_get(all, i));
    }
    json_decref(all);
    gnt_free(jobs);
    if (!list)
        gnt_fail(err, "out of memory for what sacct said");
    return list;
}

int gnt_queue_cancel(const gnt_submission *s, gnt_err *err) {
    const char *const argv[] = {"scancel", s->array, s->gather, NULL};
    json_t *nothing = query(argv, NULL, 0, err);
    if (!nothing)
        return -1;
    json_decref(nothing);
    return 0;
}
