/* gauntlet list and gauntlet show: list the plugins, and describe one of them, or a list of attacks. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "plugin/params.h"
#include "plugin/abi_words.h"
#include "process/describe.h"
#include "suite/suite.h"

enum { LONGEST_LISTING = 64 << 20 };

typedef struct options {
    const char *plugins, *id;
    int json;
} options;

static int read_options(int argc, char **argv, int wants_id, options *o) {
    const cli_option known[] = {{.name = "json", .kind = CLI_FLAG, .to = &o->json},
                                {.name = "plugins", .kind = CLI_FOLDER, .to = &o->plugins},
                                {0}};
    const cli_command command = {.name = argv[0], .options = known};
    cli_words words;
    *o = (options){0};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != wants_id)
        return cli_wrong(&command, "expected %s",
                         wants_id ? "the id of one plugin, or the name of a list of attacks"
                                  : "no further words");
    o->id = wants_id ? words.word[0] : NULL;
    return CLI_GO_ON;
}

/* ---- list ---- */

static void list_kind(const gnt_plugin_list *list, int32_t kind) {
    int width = 8;
    for (size_t i = 0; i < list->n; i++)
        if (list->info[i].kind == kind && (int)strlen(list->info[i].id) > width)
            width = (int)strlen(list->info[i].id);
    printf("%ss\n", gnt_word_name(&gnt_kind_words, (uint32_t)kind));
    for (size_t i = 0; i < list->n; i++) {
        const gnt_plugin_info *p = &list->info[i];
        if (p->kind != kind)
            continue;
        printf("  %-*s  %s", width, p->id, p->line);
        if (p->strength >= 0)
            printf(" (strength: %s)", p->parameters[p->strength].id);
        printf("\n");
    }
}

static int print_json(gnt_text *out) {
    int bad = out->failed;
    if (bad)
        fprintf(stderr, "gauntlet: out of memory for the listing\n");
    else
        printf("%s\n", gnt_text_get(out));
    gnt_text_free(out);
    return bad ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}

static int list_json(const gnt_plugin_list *list) {
    gnt_text out;
    gnt_text_init(&out, LONGEST_LISTING);
    gnt_text_add(&out, "{\"format\":1,\"plugins\":[");
    for (size_t i = 0; i < list->n; i++) {
        gnt_text_add(&out, "%s", i ? ",\n" : "\n");
        gnt_info_write(&out, &list->info[i]);
    }
    gnt_text_add(&out, "],\n\"refused\":[");
    for (size_t i = 0; i < list->n_refused; i++) {
        gnt_text_add(&out, "%s{\"file\":", i ? ",\n" : "\n");
        gnt_json_add_text(&out, list->refused[i].file);
        gnt_text_add(&out, ",\"reason\":");
        gnt_json_add_text(&out, list->refused[i].sentence);
        gnt_text_add(&out, "}");
    }
    gnt_text_add(&out, "]}");
    return print_json(&out);
}

int gnt_cmd_list(int argc, char **argv) {
    options o;
    gnt_plugin_list list;
    gnt_err err = {0};
    int code = read_options(argc, argv, 0, &o);
    if (code != CLI_GO_ON)
        return code;
    if (cli_list_plugins(&list, o.plugins, NULL, &err))
        return cli_error("list", &err, GNT_EXIT_WRONG);
    code = list.n_refused ? GNT_EXIT_FAILED : GNT_EXIT_OK;
    if (o.json)
        code = list_json(&list) ? GNT_EXIT_FAILED : code;
    else {
        list_kind(&list, GNT_PLUGIN_DEFENSE);
        list_kind(&list, GNT_PLUGIN_ATTACK);
    }
    for (size_t i = 0; i < list.n_refused; i++)
        fprintf(stderr, "refused: %s\n", list.refused[i].sentence);
    gnt_plugin_list_free(&list);
    return code;
}

/* ---- show ---- */

static void show_default(const gnt_parameter *p) {
    char number[GNT_NUMBER_SIZE];
    if (p->type == GNT_TYPE_BOOL)
        printf("%s", p->preset != 0 ? "true" : "false");
    else if (p->type == GNT_TYPE_INT || p->type == GNT_TYPE_REAL)
        printf("%s", gnt_number_text(p->preset, number));
    else if (p->type == GNT_TYPE_MODEL)
        printf("%s", p->preset_text ? "none" : "none: a suite must name one of its \"models\"");
    else
        printf("%s", p->preset_text[0] ? p->preset_text : "\"\"");
}

static void show_parameter(const gnt_parameter *p) {
    char least[GNT_NUMBER_SIZE], most[GNT_NUMBER_SIZE];
    printf("  %s: %s", p->id, gnt_word_name(&gnt_type_words, (uint32_t)p->type));
    if (p->type == GNT_TYPE_CHOICE)
        for (size_t i = 0; p->choices[i]; i++)
            printf("%s%s", i ? " | " : " ", p->choices[i]);
    else if (p->type != GNT_TYPE_BOOL && p->type != GNT_TYPE_TEXT && p->type != GNT_TYPE_MODEL)
        printf(" from %s to %s%s", gnt_number_text(p->least, least), gnt_number_text(p->most, most),
               p->scale == GNT_SCALE_LOG          ? ", log scale"
               : p->scale == GNT_SCALE_COMPLEMENT ? ", log scale in 1 - p"
                                                  : "");
    if (p->unit[0])
        printf(", in %s", p->unit);
    printf("; default ");
    show_default(p);
    printf("\n");
    if (p->strength)
        printf("      THE strength: %s protects more\n", p->strength > 0 ? "more" : "less");
    if (p->help[0])
        printf("      %s\n", p->help);
}

static void show_bits(const char *name, const gnt_words *words, uint32_t bits) {
    char text[400];
    printf("%-12s %s\n", name, gnt_words_list(words, bits, text, sizeof text));
}

static void show(const gnt_plugin_info *p) {
    printf("%s (%s), version %s, licence %s\n%s\n", p->id, gnt_word_name(&gnt_kind_words, (uint32_t)p->kind),
           p->version, p->licence, p->line);
    if (p->citation[0])
        printf("%s\n", p->citation);
    printf("\n");
    show_bits("surfaces", &gnt_surface_words, p->surfaces);
    show_bits("data", &gnt_data_kind_words, p->data_kinds);
    if (p->kind == GNT_PLUGIN_ATTACK) {
        show_bits("goals", &gnt_goal_words, p->goals);
        show_bits("needs", &gnt_knowledge_words, p->needs);
        show_bits("uses", &gnt_knowledge_words, p->uses);
    }
    show_bits("hooks", &gnt_hook_words, p->hooks);
    printf("%-12s %s\n", "prepare",
           p->scope == GNT_SCOPE_NONE   ? "none"
           : p->scope == GNT_SCOPE_TASK ? "once for a task"
                                        : "for each stage");
    show_bits("flags", &gnt_flag_words, p->flags);
    if (p->conditions)
        show_bits("only if", &gnt_condition_words, p->conditions);
    if (p->least_public)
        printf("%-12s %lld public\n", "least rows", (long long)p->least_public);
    if (p->least_shadow)
        printf("%-12s %lld shadow\n", "least rows", (long long)p->least_shadow);
    for (int32_t i = 0; i < p->n_services; i++)
        printf("%-12s %s\n", i ? "" : "services", p->services[i]);
    for (int32_t i = 0; i < p->n_families; i++)
        printf("%-12s %s\n",
               i                               ? ""
               : p->kind == GNT_PLUGIN_DEFENSE ? "families"
                                               : "adapts to",
               p->families[i]);
    printf("%-12s %s\n\n%s\n", "file", p->file, p->n_parameters ? "parameters" : "no parameters");
    for (int32_t i = 0; i < p->n_parameters; i++)
        show_parameter(&p->parameters[i]);
}

/* Shows the plugins with an id: a defense and an attack may share one. */
static int show_all(const gnt_plugin_list *list, const options *o) {
    static const int32_t kinds[] = {GNT_PLUGIN_DEFENSE, GNT_PLUGIN_ATTACK};
    gnt_text out;
    size_t shown = 0;
    gnt_text_init(&out, LONGEST_LISTING);
    for (size_t i = 0; i < 2; i++) {
        const gnt_plugin_info *p = gnt_plugin_list_find(list, kinds[i], o->id);
        if (!p)
            continue;
        if (!o->json) {
            printf("%s", shown++ ? "\n" : "");
            show(p);
            continue;
        }
        gnt_text_add(&out, "%s", shown++ ? "\n" : "");
        gnt_info_write(&out, p);
    }
    if (o->json && shown)
        return print_json(&out);
    gnt_text_free(&out);
    return shown ? GNT_EXIT_OK : GNT_EXIT_WRONG;
}

static int unknown(const gnt_plugin_list *list, const char *id) {
    const char **names = gnt_array(list->n, sizeof *names);
    for (size_t i = 0; names && i < list->n; i++)
        names[i] = list->info[i].id;
    const char *near = names ? gnt_nearest(id, names, list->n) : NULL;
    fprintf(stderr,
            "gauntlet show: there is no plugin and no list of attacks \"%.60s\"%s%s%s; see `gauntlet list`; "
            "--plugins DIR adds a folder\n",
            id, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
    for (size_t i = 0; i < list->n_refused; i++)
        fprintf(stderr, "refused: %s\n", list->refused[i].sentence);
    gnt_free(names);
    return GNT_EXIT_WRONG;
}

/* ---- lists of attacks ---- */

static void show_member(const gnt_suite_attack *a) {
    printf("\n%s  %s %s", a->label + strlen(a->list->name) + 1, a->plugin, a->member.info->version);
    if (a->first.info)
        printf(" (after %s %s)", a->first.info->id, a->first.info->version);
    printf("\n  %s\n", a->says);
    printf("  ");
    show_bits("surfaces", &gnt_surface_words, (a->first.info ? &a->first : &a->member)->info->surfaces);
    printf("  ");
    show_bits("goals", &gnt_goal_words, a->member.info->goals);
    printf("  ");
    show_bits("grants", &gnt_knowledge_words, a->grants);
    if (a->first.info)
        printf("  %-12s %lld, %lld\n", "budget", (long long)a->first_budget, (long long)a->budget);
    else if (a->budget)
        printf("  %-12s %lld\n", "budget", (long long)a->budget);
    if (a->first.info)
        printf("  %-12s %s\n", "parameters", a->first.params);
    printf("  %-12s %s\n", a->first.info ? "" : "parameters", a->member.params);
}

static void show_list(const gnt_suite *s) {
    const gnt_suite_list *list = s->list;
    printf("%s (list of attacks), %s, digest %s\n%s\n", list->name, list->status, list->digest, list->says);
    if (*list->variants)
        printf("variants     %s\n", list->variants);
    for (size_t i = 0; i < s->n_attacks; i++)
        show_member(&s->attack[i]);
}

static void grants_json(uint32_t grants, gnt_text *out) {
    for (size_t i = 0, n = 0; i < gnt_knowledge_words.n; i++)
        if (grants & gnt_knowledge_words.word[i].bit)
            gnt_text_add(out, "%s\"%s\"", n++ ? "," : "", gnt_knowledge_words.word[i].name);
}

/* Adds a member as an entry of a suite's attacks, with all of its parameters. */
static void member_json(const gnt_suite_attack *a, gnt_text *out) {
    gnt_text_add(out, "{\"label\":\"%s\",\"plugin\":\"%s\",\"grants\":[", a->label, a->plugin);
    grants_json(a->grants, out);
    gnt_text_add(out, "],\"params\":[");
    if (a->first.info)
        gnt_text_add(out, "%s,", a->first.params);
    gnt_text_add(out, "%s],\"budget\":[", a->member.params);
    if (a->first.info)
        gnt_text_add(out, "%lld,", (long long)a->first_budget);
    gnt_text_add(out, "%lld],\"says\":", (long long)a->budget);
    gnt_json_add_text(out, a->says);
    gnt_text_add(out, "}");
}

static void list_members_json(const gnt_suite *s, gnt_text *out) {
    const gnt_suite_list *list = s->list;
    gnt_text_add(out, "{\"list\":\"%s\",\"status\":\"%s\",\"digest\":\"%s\",\"says\":", list->name,
                 list->status, list->digest);
    gnt_json_add_text(out, list->says);
    gnt_text_add(out, ",\"attacks\":[");
    for (size_t i = 0; i < s->n_attacks; i++) {
        gnt_text_add(out, "%s\n", i ? "," : "");
        member_json(&s->attack[i], out);
    }
    gnt_text_add(out, "]}");
}

/* Shows the list of attacks with that name; CLI_GO_ON if there is none. */
static int show_list_named(const gnt_plugin_list *plugins, const options *o) {
    char *folders[CLI_MODEL_FOLDERS];
    gnt_suite list;
    gnt_text out;
    gnt_err err = {0};
    cli_find_lists(folders);
    const gnt_suite_env env = {.plugins = plugins, .list_folders = (const char *const *)folders};
    const int rc = gnt_suite_load_list(&list, o->id, &env, &err);
    cli_free_models(folders);
    if (rc > 0)
        return CLI_GO_ON;
    if (rc < 0)
        return cli_error("show", &err, GNT_EXIT_WRONG);
    int code = GNT_EXIT_OK;
    gnt_text_init(&out, LONGEST_LISTING);
    if (o->json) {
        list_members_json(&list, &out);
        code = print_json(&out);
    } else {
        show_list(&list);
        gnt_text_free(&out);
    }
    gnt_suite_free(&list);
    return code;
}

int gnt_cmd_show(int argc, char **argv) {
    options o;
    gnt_plugin_list list;
    gnt_err err = {0};
    int code = read_options(argc, argv, 1, &o);
    if (code != CLI_GO_ON)
        return code;
    if (cli_list_plugins(&list, o.plugins, NULL, &err))
        return cli_error("show", &err, GNT_EXIT_WRONG);
    code = show_all(&list, &o);
    if (code == GNT_EXIT_WRONG)
        code = show_list_named(&list, &o);
    if (code == CLI_GO_ON)
        code = unknown(&list, o.id);
    gnt_plugin_list_free(&list);
    return code;
}
