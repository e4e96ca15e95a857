/* gauntlet new: makes the folder of a plugin of one's own, from templates (templates/README.md). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "plugin/info.h"
#include "plugin/own_ids.h"
#include "run/version.h"

enum { MOST_BYTES = 1 << 20, MOST_DEPTH = 8 };

typedef struct making {
    const char *kind, *name, *language, *folder;
    int n_files;
} making;

/* What templates say for a plugin's id and for the version of gauntlet. */
static const char named[] = "plugin-name", versioned[] = "gauntlet-version";

/* Returns a template's text for this plugin. The caller frees; NULL: out of memory. */
static char *fill(const making *m, const char *text) {
    gnt_text out;
    gnt_text_init(&out, MOST_BYTES);
    while (*text) {
        const int is_name = strncmp(text, named, sizeof named - 1) == 0;
        const int is_version = strncmp(text, versioned, sizeof versioned - 1) == 0;
        if (is_name || is_version)
            gnt_text_add(&out, "%s", is_name ? m->name : GNT_VERSION);
        else
            gnt_text_bytes(&out, text, 1);
        text += is_name ? sizeof named - 1 : is_version ? sizeof versioned - 1 : 1;
    }
    return gnt_text_take(&out);
}

static int make_file(making *m, const char *from, const char *to, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    int rc = gnt_file_read(from, MOST_BYTES, &bytes, &size, err);
    char *text = rc == 0 ? fill(m, (const char *)bytes) : NULL;
    if (rc == 0)
        rc = text ? gnt_file_write(to, text, strlen(text), err) : gnt_fail(err, "out of memory for %s", to);
    m->n_files += rc == 0;
    gnt_free(text);
    gnt_free(bytes);
    return rc;
}

/* Makes the files of a folder of templates, and of its folders down to `depth`. */
static int make_files(making *m, const char *from, const char *to, int depth, gnt_err *err) {
    DIR *all = opendir(from);
    struct dirent *e;
    int rc = all ? gnt_make_dirs(to, err)
                 : gnt_fail(err, "%s: %s; expected templates there: install gauntlet again", from,
                            strerror(errno));
    while (rc == 0 && (e = readdir(all))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char *name = fill(m, e->d_name);
        char *one = gnt_format("%s/%s", from, e->d_name), *made = gnt_format("%s/%s", to, name ? name : "");
        if (!name || !one || !made)
            rc = gnt_fail(err, "out of memory for templates");
        else if (cli_is_folder(one))
            rc = depth > 0 ? make_files(m, one, made, depth - 1, err)
                           : gnt_fail(err, "%s: lies too deep", one);
        else
            rc = make_file(m, one, made, err);
        gnt_free(made);
        gnt_free(one);
        gnt_free(name);
    }
    if (all)
        closedir(all);
    return rc;
}

/* Makes what the templates have for any plugin, for the language, for the kind, and for both. */
static int make_plugin(making *m, gnt_err *err) {
    char *templates = cli_find_shared("templates"), *both = gnt_format("%s-%s", m->kind, m->language);
    const char *layer[] = {"common", m->language, m->kind, both};
    int rc = both ? 0 : gnt_fail(err, "out of memory for templates");
    if (rc == 0 && !templates)
        rc = gnt_fail(err, "there is no folder of templates next to the program; expected ../templates or "
                           "../share/gauntlet/templates: install gauntlet again");
    if (rc == 0 && mkdir(m->folder, 0777) != 0)
        rc = errno == EEXIST ? gnt_fail(err, "%s is there already; name another folder with --dir", m->folder)
                             : gnt_fail(err, "cannot make the folder %s: %s", m->folder, strerror(errno));
    for (size_t i = 0; rc == 0 && i < sizeof layer / sizeof *layer; i++) {
        char *from = gnt_format("%s/%s", templates, layer[i]);
        rc = from ? make_files(m, from, m->folder, MOST_DEPTH, err) : gnt_fail(err, "out of memory");
        gnt_free(from);
    }
    gnt_free(both);
    gnt_free(templates);
    return rc;
}

static int is_one_of(const char *word, const char *const *list) {
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

int gnt_cmd_new(int argc, char **argv) {
    static const char *const kinds[] = {"defense", "attack", NULL};
    static const char *const languages[] = {"c", "c++", "rust", "python", NULL};
    making m = {.language = "c"};
    gnt_err err = {""};
    const cli_option known[] = {{.name = "lang", .kind = CLI_TEXT, .to = &m.language},
                                {.name = "dir", .kind = CLI_TEXT, .to = &m.folder},
                                {0}};
    const cli_command command = {.name = "new", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 2)
        return cli_wrong(&command, "expected defense or attack, and a name");
    if (!is_one_of(words.word[0], kinds)) {
        const char *near = gnt_nearest(words.word[0], kinds, 2);
        return cli_wrong(&command,
                         "\"%.60s\" is no kind of plugin%s%s%s; expected defense or attack, then a name",
                         words.word[0], near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    }
    m.kind = words.word[0];
    m.name = words.word[1];
    if (!is_one_of(m.language, languages))
        return cli_wrong(&command, "--lang is \"%.40s\", expected c, c++, rust or python", m.language);
    if (!gnt_id_ok(m.name, '-'))
        return cli_wrong(&command,
                         "\"%.80s\" is no id of a plugin; expected 1 to %d small letters, digits and "
                         "hyphens, beginning with a letter",
                         m.name, GNT_PLUGIN_ID);
    if (gnt_is_own_id(m.name))
        return cli_wrong(&command, "%s is a built-in plugin; expected another name", m.name);
    if (!m.folder)
        m.folder = m.name;
    if (make_plugin(&m, &err) != 0)
        return cli_error("new", &err, GNT_EXIT_WRONG);
    printf("%s: %d files of the %s %s. `make vet` there builds and checks it, `make run` runs its suite; "
           "README.md has more\n",
           m.folder, m.n_files, m.kind, m.name);
    return GNT_EXIT_OK;
}
