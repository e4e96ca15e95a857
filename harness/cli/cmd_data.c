/* gauntlet data: lists data sets, checks their files, draws samples, drafts descriptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/help.h"
#include "data/data.h"
#include "render/png.h"

typedef struct data_options {
    const char *folder, *out;
    uint64_t scale, columns;
    int json;
} data_options;

static int read_options(const char *name, int argc, char **argv, data_options *o, cli_words *words) {
    const cli_option known[] = {
        {.name = "json", .kind = CLI_FLAG, .to = &o->json},
        {.name = "data", .kind = CLI_FOLDER, .to = &o->folder},
        {.name = "output", .letter = 'o', .kind = CLI_TEXT, .to = &o->out},
        {.name = "scale", .kind = CLI_WHOLE, .to = &o->scale, .least = 1, .most = 8},
        {.name = "columns", .kind = CLI_WHOLE, .to = &o->columns, .least = 1, .most = 64},
        {0}};
    const cli_command command = {.name = name, .options = known};
    *o = (data_options){.folder = cli_data_folder(), .scale = 2, .columns = 16};
    return cli_args(&command, argc, argv, words);
}

static int list(int argc, char **argv) {
    data_options o;
    size_t n;
    const char *const *name = gnt_data_names(&n);
    cli_words words;
    int code = read_options("data list", argc, argv, &o, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n)
        return cli_wrong(&(cli_command){.name = "data list"}, "expected no further words");
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        const char *group = gnt_data_group_name(name[i]);
        if (!o.json)
            printf("%-12s %s%s%s\n", name[i], gnt_data_about(name[i]), group ? "; by " : "",
                   group ? group : "");
        else
            json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:s?}", "name", name[i], "about",
                                                 gnt_data_about(name[i]), "builtin",
                                                 gnt_data_is_builtin(name[i]), "group", group));
    }
    if (o.json) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(all);
    return GNT_EXIT_OK;
}

/* A set as a user names it: a description may be any .json file, from the working directory too. */
typedef struct named_set {
    const char *name, *folder;
    char *path; /* to be freed */
} named_set;

static named_set name_set(const char *word, const char *folder) {
    named_set set = {word, folder, NULL};
    if (!gnt_data_is_described(word) || !gnt_file_exists(word))
        return set;
    set.path = gnt_format("./%s", word);
    char *slash = set.path ? strrchr(set.path, '/') : NULL;
    if (!slash)
        return set;
    *slash = 0;
    set.name = slash + 1;
    set.folder = *word == '/' ? set.path + 2 : set.path;
    return set;
}

/* Refuses a name that no data set has. Returns 0, or the exit code 2 after a message. */
static int check_name(const cli_command *command, const char *name, const data_options *o) {
    size_t n;
    const char *const *names = gnt_data_names(&n);
    if (gnt_data_is_described(name)) {
        char *there = o->folder ? gnt_format("%s/%s", o->folder, name) : NULL;
        const int found = gnt_file_exists(name) || (there && gnt_file_exists(there));
        gnt_free(there);
        return found ? 0
                     : cli_wrong(command,
                                 "there is no file %.200s, here or in the folder of --data; expected a "
                                 "description",
                                 name);
    }
    if (gnt_data_about(name))
        return 0;
    const char *near = gnt_nearest(name, names, n);
    return cli_wrong(command,
                     "there is no data set \"%.60s\"%s%s%s; `gauntlet data list` shows them, and a "
                     "description is a .json file",
                     name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* Checks one set; `named`: the user named it, so that missing files are an error. */
static int check_one(const char *name, const data_options *o, int named, int first) {
    gnt_err err = {{0}};
    char *text = NULL;
    int rc = GNT_EXIT_OK;
    if (o->json && !first)
        fputs(",\n", stdout);
    if (!named && !gnt_data_present(name, o->folder)) {
        if (o->json)
            printf("{\"name\": \"%s\", \"ok\": null}", name);
        else
            printf("%s: not found%s\n", name, o->folder ? "" : " (no --data and no GAUNTLET_DATA)");
        return rc;
    }
    const named_set set = name_set(name, o->folder);
    if (gnt_data_check(set.name, set.folder, o->json, &text, &err) != 0)
        rc = GNT_EXIT_FAILED;
    gnt_free(set.path);
    if (text)
        fputs(text, stdout);
    else
        cli_error("data", &err, GNT_EXIT_FAILED);
    gnt_free(text);
    return rc;
}

static int check(int argc, char **argv) {
    data_options o;
    cli_words words;
    int rc = read_options("data check", argc, argv, &o, &words), named = words.n > 0;
    if (rc != CLI_GO_ON)
        return rc;
    rc = GNT_EXIT_OK;
    size_t n;
    const char *const *name = gnt_data_names(&n);
    if (named) {
        n = (size_t)words.n;
        name = (const char *const *)words.word;
    }
    const cli_command command = {.name = "data check"};
    for (size_t i = 0; named && i < n; i++)
        if (check_name(&command, name[i], &o) != 0)
            return GNT_EXIT_WRONG;
    if (o.folder && !cli_is_folder(o.folder))
        return cli_wrong(&command, "%.200s is not a folder; expected GAUNTLET_DATA, the folder of data files",
                         o.folder);
    if (o.json)
        fputs("[", stdout);
    for (size_t i = 0; i < n; i++)
        if (check_one(name[i], &o, named, i == 0) != GNT_EXIT_OK)
            rc = GNT_EXIT_FAILED;
    if (o.json)
        fputs("]\n", stdout);
    return rc;
}

/* Copies one image, `scale` times as large, to (left, top) of a picture `width` pixels wide; with `marks` its
 * mask tinted blue and its map red. */
static void put_image(uint8_t *rgb, int64_t width, int64_t left, int64_t top, const gnt_data *d, int64_t row,
                      int64_t scale, int marks) {
    int64_t h = d->dim[1], w = d->dim[2], plane = h * w;
    const uint8_t *from = d->pixels + row * d->features;
    for (int64_t y = 0; y < h * scale; y++)
        for (int64_t x = 0; x < w * scale; x++)
            for (int64_t c = 0; c < 3; c++) {
                int64_t at = y / scale * w + x / scale, source = (d->dim[0] == 3 ? c * plane : 0) + at;
                const int masked = marks && c < 2 && d->mask[row * plane + at],
                          found = marks && c > 0 && d->map[row * plane + at];
                rgb[((top + y) * width + left + x) * 3 + c] =
                    (uint8_t)(from[source] * (masked ? 3 : 4) / 4 * (found ? 1 : 2) / 2);
            }
}

/* Draws a row for each class; for a set with maps, rows of images, and below each the same images marked. */
static int draw_sheet(const gnt_data *d, const data_options *o, gnt_err *err) {
    enum { MOST_CLASSES = 20, MAP_LINES = 8, GAP = 2 };
    int64_t classes = d->has_maps ? MAP_LINES : d->classes < MOST_CLASSES ? d->classes : MOST_CLASSES;
    int64_t columns = (int64_t)o->columns, scale = (int64_t)o->scale;
    int64_t step_x = d->dim[2] * scale + GAP, step_y = d->dim[1] * scale + GAP;
    int64_t width = columns * step_x + GAP, height = classes * step_y + GAP, used[MOST_CLASSES] = {0};
    uint8_t *rgb = gnt_array((size_t)(width * height), 3);
    if (!rgb)
        return gnt_fail(err, "%s: out of memory for a picture of %lld by %lld", o->out, (long long)width,
                        (long long)height);
    memset(rgb, 128, (size_t)(width * height) * 3);
    for (int64_t row = 0; row < d->part[GNT_PART_TRAIN]; row++) {
        const int64_t k = d->has_maps ? 2 * (row / columns) : d->label[row];
        if (k >= classes || used[k] >= columns)
            continue;
        for (int marks = 0; marks <= d->has_maps; marks++)
            put_image(rgb, width, GAP + used[k] * step_x, GAP + (k + marks) * step_y, d, row, scale, marks);
        used[k]++;
    }
    int rc = gnt_png_write(o->out, rgb, width, height, err);
    gnt_free(rgb);
    return rc;
}

static int sheet(int argc, char **argv) {
    data_options o;
    cli_words words;
    int code = read_options("data sheet", argc, argv, &o, &words);
    if (code != CLI_GO_ON)
        return code;
    const cli_command command = {.name = "data sheet"};
    if (words.n != 1 || !o.out)
        return cli_wrong(&command, "expected one data set and -o FILE.png");
    if (check_name(&command, words.word[0], &o) != 0)
        return GNT_EXIT_WRONG;
    gnt_err err = {{0}};
    gnt_data *d = NULL;
    const named_set set = name_set(words.word[0], o.folder);
    gnt_data_spec spec = {.name = set.name};
    int rc = gnt_data_open(&d, &spec, set.folder, &err);
    gnt_free(set.path);
    if (rc == 0 && d->kind != GNT_DATA_IMAGE)
        rc = gnt_fail(&err, "%s: is a table; a sheet needs images", d->name);
    if (rc == 0)
        rc = draw_sheet(d, &o, &err);
    if (rc != 0)
        cli_error("data", &err, GNT_EXIT_FAILED);
    gnt_data_free(d);
    return rc == 0 ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}

/* Writes the draft to the file, which must not exist yet, or to standard output. */
static int put_draft(const char *text, const char *out, gnt_err *err) {
    if (!out) {
        fputs(text, stdout);
        return 0;
    }
    if (gnt_file_exists(out))
        return gnt_fail(err, "%s: exists already; expected the name of a new file", out);
    return gnt_file_write(out, text, strlen(text), err);
}

static int describe(int argc, char **argv) {
    const char *out = NULL;
    const cli_option options[] = {{.name = "output", .letter = 'o', .kind = CLI_TEXT, .to = &out}, {0}};
    const cli_command command = {.name = "data describe", .options = options};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one folder");
    if (!cli_is_folder(words.word[0]))
        return cli_wrong(&command, "%.200s is not a folder; expected the one that has the files",
                         words.word[0]);
    gnt_err err = {{0}};
    char *text = NULL, *notes = NULL;
    int rc = gnt_data_describe(words.word[0], &text, &notes, &err);
    if (rc == 0)
        rc = put_draft(text, out, &err);
    if (rc != 0)
        cli_error("data", &err, GNT_EXIT_FAILED);
    for (const char *line = notes; rc == 0 && *line; line = strchr(line, '\n') + 1)
        fprintf(stderr, "note: %.*s\n", (int)(strchr(line, '\n') - line), line);
    gnt_free(text);
    gnt_free(notes);
    return rc == 0 ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}

int gnt_cmd_data(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : NULL;
    if (command && !strcmp(command, "list"))
        return list(argc - 1, argv + 1);
    if (command && !strcmp(command, "check"))
        return check(argc - 1, argv + 1);
    if (command && !strcmp(command, "sheet"))
        return sheet(argc - 1, argv + 1);
    if (command && !strcmp(command, "describe"))
        return describe(argc - 1, argv + 1);
    if (command && (!strcmp(command, "--help") || !strcmp(command, "-h")))
        return fputs(cli_help("data"), stdout), GNT_EXIT_OK;
    static const char *const names[] = {"list", "check", "sheet", "describe"};
    const char *near = command ? gnt_nearest(command, names, 4) : NULL;
    if (command)
        return cli_wrong(&(cli_command){.name = "data"},
                         "there is no command \"%.60s\"%s%s%s; expected list, check, sheet or describe",
                         command, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    fputs(cli_help("data"), stderr);
    return GNT_EXIT_WRONG;
}
