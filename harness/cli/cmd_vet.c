/* gauntlet vet: checks that plugins conform to the ABI contract. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/sandbox_options.h"
#include "plugin/abi_words.h"
#include "process/child.h"
#include "process/describe.h"
#include "vet/vet.h"

enum { MOST_PARAMS = 32 };

typedef struct vet_options {
    gnt_vet_options vet;
    const char *defense, *plugins;
    gnt_vet_params params[MOST_PARAMS];
    int json, list;
} vet_options;

typedef struct listener {
    const char *file;
    json_t *findings; /* NULL: print lines */
} listener;

/* Splits "ID=JSON" in place. */
static int read_params(void *to, char *text) {
    vet_options *o = to;
    char *equals = strchr(text, '=');
    json_t *json = equals ? json_loads(equals + 1, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const int good = json_is_object(json) && o->vet.n_params < MOST_PARAMS;
    json_decref(json);
    if (!good) {
        fprintf(stderr, "gauntlet vet: --params takes ID={\"NAME\": VALUE, …}, not %.80s\n", text);
        return -1;
    }
    *equals = 0;
    o->params[o->vet.n_params++] = (gnt_vet_params){text, equals + 1};
    return 0;
}

static int read_only(void *to, char *text) {
    unsigned char *wanted = to;
    const char *names[GNT_VET_CHECKS];
    char name[32];
    memset(wanted, 0, GNT_VET_CHECKS);
    for (int i = 0; i < GNT_VET_CHECKS; i++)
        names[i] = gnt_vet_checks[i].name;
    while (*text) {
        const size_t n = strcspn(text, ",");
        int found = 0;
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
        for (int i = 0; i < GNT_VET_CHECKS; i++)
            if (strcmp(names[i], name) == 0)
                found = wanted[i] = 1;
        if (!found) {
            const char *near = gnt_nearest(name, names, GNT_VET_CHECKS);
            fprintf(stderr, "gauntlet vet: there is no check \"%s\"%s%s%s; see `gauntlet vet --list`\n", name,
                    near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
            return -1;
        }
        text += n + (text[n] == ',');
    }
    return 0;
}

static int read_defense_params(void *to, char *text) {
    vet_options *o = to;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const int good = json_is_object(json);
    json_decref(json);
    if (!good) {
        fprintf(stderr, "gauntlet vet: --defense-params takes {\"NAME\": VALUE, …}, not %.80s\n", text);
        return -1;
    }
    o->vet.behind_params = text;
    return 0;
}

/* Finds the defense that --defense names. */
static int find_defense(vet_options *o, gnt_plugin_list *plugins, gnt_err *err) {
    if (!o->defense)
        return 0;
    if (cli_list_plugins(plugins, o->plugins, &o->vet.sandbox, err) != 0)
        return -1;
    o->vet.behind = gnt_plugin_list_find(plugins, GNT_PLUGIN_DEFENSE, o->defense);
    return o->vet.behind ? 0
                         : gnt_fail(err,
                                    "there is no defense \"%.60s\"; see `gauntlet list`; "
                                    "--plugins DIR adds a folder",
                                    o->defense);
}

static int read_options(int argc, char **argv, vet_options *o, cli_words *words) {
    const cli_option known[] = {
        {.name = "only", .kind = CLI_READ, .to = o->vet.wanted, .read = read_only},
        {.name = "params", .kind = CLI_READ, .to = o, .read = read_params},
        {.name = "defense", .kind = CLI_TEXT, .to = &o->defense},
        {.name = "defense-params", .kind = CLI_READ, .to = o, .read = read_defense_params},
        {.name = "seconds", .kind = CLI_REAL, .to = &o->vet.seconds, .least = 0.01, .most = 86400},
        {.name = "memory-mb", .kind = CLI_WHOLE, .to = &o->vet.memory_mb, .least = 64, .most = 1 << 20},
        {.name = "plugins", .kind = CLI_FOLDER, .to = &o->plugins},
        {.name = "keep-failed", .kind = CLI_INTO, .to = &o->vet.keep_failed},
        {.name = "json", .kind = CLI_FLAG, .to = &o->json},
        {.name = "list", .kind = CLI_FLAG, .to = &o->list},
        CLI_SANDBOX(&o->vet.sandbox),
        {0}};
    const cli_command command = {.name = "vet", .options = known};
    *o = (vet_options){.vet = {.seconds = 60, .memory_mb = 1024}};
    memset(o->vet.wanted, 1, sizeof o->vet.wanted);
    int code = cli_args(&command, argc, argv, words);
    if (code != CLI_GO_ON)
        return code;
    if (o->list && words->n)
        return cli_wrong(&command, "--list goes without files");
    if (!o->list && words->n == 0)
        return cli_wrong(&command, "expected the file of a plugin");
    if (o->vet.behind_params && !o->defense)
        return cli_wrong(&command, "--defense-params goes with --defense");
    return CLI_GO_ON;
}

static const char *word_of(gnt_vet_verdict verdict) {
    return verdict == GNT_VET_OK ? "ok" : verdict == GNT_VET_FAILED ? "failed" : "n/a";
}

static void found(void *user, const gnt_vet_finding *f) {
    listener *l = user;
    const char *kind = f->kind ? gnt_word_name(&gnt_kind_words, (uint32_t)f->kind) : NULL;
    if (l->findings) {
        json_array_append_new(l->findings,
                              json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:s?}", "file", l->file, "plugin",
                                        f->plugin, "kind", kind, "check", f->check, "verdict",
                                        word_of(f->verdict), "why", *f->why ? f->why : NULL));
        return;
    }
    printf("%s%s%s: %s: %s%s%s\n", kind ? kind : "", kind ? " " : "", kind ? f->plugin : l->file, f->check,
           word_of(f->verdict), *f->why ? ": " : "", f->why);
    fflush(stdout);
}

static int list_checks(void) {
    for (int i = 0; i < GNT_VET_CHECKS; i++)
        printf("%-11s %s\n", gnt_vet_checks[i].name, gnt_vet_checks[i].line);
    return GNT_EXIT_OK;
}

static int print_json(json_t *findings, int failed) {
    json_t *all = json_pack("{s:i, s:b, s:O}", "format", 1, "passed", !failed, "findings", findings);
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        printf("%s\n", text);
    else
        fprintf(stderr, "gauntlet vet: out of memory for the findings\n");
    free(text);
    json_decref(all);
    return text ? 0 : -1;
}

int gnt_cmd_vet(int argc, char **argv) {
    vet_options o;
    listener l = {0};
    gnt_sandbox_report sandbox_here;
    gnt_err err = {0};
    int failed = 0, rc = 0;
    cli_words words;
    gnt_plugin_list plugins = {0};
    int code = read_options(argc, argv, &o, &words);
    if (code != CLI_GO_ON)
        return code;
    if (o.list)
        return list_checks();
    gnt_interrupt_catch();
    if (cli_sandbox_check("vet", &o.vet.sandbox, 1, &sandbox_here) != 0)
        return GNT_EXIT_WRONG;
    l.findings = o.json ? json_array() : NULL;
    o.vet.params = o.params;
    o.vet.found = found;
    o.vet.user = &l;
    rc = find_defense(&o, &plugins, &err);
    for (int i = 0; rc == 0 && i < words.n; i++) {
        int more = 0;
        o.vet.file = l.file = words.word[i];
        rc = gnt_vet(&o.vet, &more, &err);
        failed += more;
    }
    if (rc != 0)
        cli_error("vet", &err, GNT_EXIT_WRONG);
    else if (o.json)
        rc = print_json(l.findings, failed);
    json_decref(l.findings);
    gnt_plugin_list_free(&plugins);
    if (gnt_interrupted())
        return GNT_EXIT_INTERRUPTED;
    return rc != 0 ? GNT_EXIT_WRONG : failed ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}
