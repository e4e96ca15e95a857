/* The list of the pictures that a report made, and the removal of what an earlier one left. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/report_impl.h"

static const char list_name[] = "pictures.txt";
enum { MOST_LIST = 4 << 20, MOST_LINE = 256 };

static void add(gnt_text *list, const gnt_picture *picture, int plotted) {
    if (!picture->name[0])
        return;
    if (picture->formats & GNT_FORMAT_PNG)
        gnt_text_add(list, "%s.png\n", picture->name);
    if (!plotted)
        return;
    if (picture->formats & GNT_FORMAT_SVG)
        gnt_text_add(list, "%s.svg\n", picture->name);
    static const char *const endings[] = {"gp", "tsv", "labels.tsv"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        gnt_text_add(list, "plots/%s.%s\n", picture->name, endings[i]);
}

static void make_list(const gnt_report *p, gnt_text *list) {
    add(list, &p->overview, 1);
    for (size_t i = 0; i < p->n_section; i++) {
        const gnt_section *s = &p->section[i];
        for (size_t k = 0; k < s->n_tradeoff; k++)
            add(list, &s->tradeoff[k], 1);
        for (size_t k = 0; k < s->n_strength; k++)
            add(list, &s->strength[k], 1);
        for (size_t k = 0; k < s->n_heat; k++)
            add(list, &s->heat[k], 1);
        add(list, &s->convergence, 1);
        add(list, &s->rounds, 1);
        add(list, &s->utility, 1);
        add(list, &s->points, 1);
        for (size_t k = 0; k < s->n_sheet; k++)
            add(list, &s->sheet[k], 0);
    }
}

/* True if a report would give this name to a picture, here or in plots/: the list is not trusted. */
static int is_picture(const char *name) {
    static const char *const kinds[] = {"tradeoff-", "strength-", "matrix-", "convergence-",
                                        "rounds-",   "utility-",  "points-", "sheet-"};
    static const char *const pictures[] = {".png", ".svg"}, *const endings[] = {".gp", ".tsv", ".labels.tsv"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    int in_plots = !strncmp(name, "plots/", 6), kind = 0;
    const char *file = in_plots ? name + 6 : name, *ending = file + strspn(file, letters);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        kind |= !strncmp(file, kinds[i], strlen(kinds[i]));
    for (size_t i = 0; kind && i < (in_plots ? 3 : 2); i++)
        if (!strcmp(ending, in_plots ? endings[i] : pictures[i]))
            return 1;
    return 0;
}

static int is_listed(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == '\n') && at[n] == '\n')
            return 1;
    return 0;
}

/* Removes one file, only if it is a plain one and not reached through a link. */
static void remove_one(const gnt_report *p, const char *name) {
    struct stat st;
    char *plots = gnt_format("%s/plots", p->folder), *path = gnt_format("%s/%s", p->folder, name);
    int direct = plots && !lstat(plots, &st) && S_ISDIR(st.st_mode);
    if (path && (direct || strncmp(name, "plots/", 6) != 0) && !lstat(path, &st) && S_ISREG(st.st_mode))
        unlink(path);
    gnt_free(plots);
    gnt_free(path);
}

static void remove_stale(const gnt_report *p, const char *before, const char *now) {
    for (const char *at = before; *at;) {
        size_t n = strcspn(at, "\n");
        char name[MOST_LINE];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), at);
        if (is_picture(name) && !is_listed(now, name))
            remove_one(p, name);
        at += n + (at[n] == '\n');
    }
}

int gnt_report_write_list(const gnt_report *p, gnt_err *err) {
    gnt_text now;
    uint8_t *before = NULL;
    size_t size;
    char *path = gnt_format("%s/%s", p->folder, list_name);
    gnt_text_init(&now, MOST_LIST);
    make_list(p, &now);
    if (!path || now.failed) {
        gnt_fail(err, "%s: out of memory", list_name);
        gnt_text_free(&now);
        gnt_free(path);
        return -1;
    }
    if (gnt_file_exists(path) && !gnt_file_read(path, MOST_LIST, &before, &size, NULL))
        remove_stale(p, (const char *)before, gnt_text_get(&now));
    int failed = gnt_file_write(path, gnt_text_get(&now), now.size, err);
    gnt_free(before);
    gnt_text_free(&now);
    gnt_free(path);
    return failed;
}
