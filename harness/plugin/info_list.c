#include <string.h>

#include "base/mem.h"
#include "plugin/info.h"
#include "plugin/abi_words.h"

void gnt_plugin_list_free(gnt_plugin_list *list) {
    for (size_t i = 0; i < list->n; i++)
        gnt_info_free(&list->info[i]);
    gnt_free(list->info);
    for (size_t i = 0; i < list->n_refused; i++) {
        gnt_free(list->refused[i].file);
        gnt_free(list->refused[i].sentence);
    }
    gnt_free(list->refused);
    *list = (gnt_plugin_list){0};
}

static int order(const gnt_plugin_info *a, int32_t kind, const char *id) {
    return a->kind != kind ? (a->kind < kind ? -1 : 1) : strcmp(a->id, id);
}

int gnt_plugin_list_add(gnt_plugin_list *list, gnt_plugin_info *info, gnt_err *err) {
    size_t at = 0;
    while (at < list->n && order(&list->info[at], info->kind, info->id) < 0)
        at++;
    if (at < list->n && order(&list->info[at], info->kind, info->id) == 0)
        return gnt_fail(err, "two plugins are the %s \"%s\": one in %s, one in %s; remove or rename one",
                        gnt_word_name(&gnt_kind_words, (uint32_t)info->kind), info->id, list->info[at].file,
                        info->file);
    if (GNT_GROW(list->info, list->n) != 0)
        return gnt_fail(err, "out of memory while listing plugins");
    memmove(list->info + at + 1, list->info + at, (list->n - at) * sizeof *info);
    list->info[at] = *info;
    *info = (gnt_plugin_info){0};
    list->n++;
    return 0;
}

int gnt_plugin_list_refuse(gnt_plugin_list *list, const char *file, const char *sentence, gnt_err *err) {
    if (GNT_GROW(list->refused, list->n_refused) != 0)
        return gnt_fail(err, "out of memory while listing plugins");
    gnt_refusal new = {gnt_strdup(file), gnt_strdup(sentence)};
    if (!new.file || !new.sentence) {
        gnt_free(new.file);
        gnt_free(new.sentence);
        return gnt_fail(err, "out of memory while listing plugins");
    }
    list->refused[list->n_refused++] = new;
    return 0;
}

const gnt_plugin_info *gnt_plugin_list_find(const gnt_plugin_list *list, int32_t kind, const char *id) {
    for (size_t i = 0; i < list->n; i++)
        if (order(&list->info[i], kind, id) == 0)
            return &list->info[i];
    return NULL;
}

const char *gnt_plugin_list_near(const gnt_plugin_list *list, int32_t kind, const char *id) {
    const char **names = gnt_array(list->n, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; names && i < list->n; i++)
        if (list->info[i].kind == kind)
            names[n++] = list->info[i].id;
    const char *near = names ? gnt_nearest(id, names, n) : NULL;
    gnt_free(names);
    return near;
}

const gnt_plugin_info *gnt_plugin_list_need(const gnt_plugin_list *list, int32_t kind, const char *id,
                                            const char *where, gnt_err *err) {
    const gnt_plugin_info *found = gnt_plugin_list_find(list, kind, id);
    if (found)
        return found;
    const char *near = gnt_plugin_list_near(list, kind, id);
    const char *word = gnt_word_name(&gnt_kind_words, (uint32_t)kind);
    gnt_fail(err,
             "%s: there is no %s \"%.60s\"; %s%s%s`gauntlet list` shows what there is, --plugins DIR adds a "
             "folder%s%s%s",
             where, word, id, near ? "did you mean \"" : "", near ? near : "", near ? "\"? " : "",
             list->n_refused ? " (refused: " : "", list->n_refused ? list->refused[0].sentence : "",
             list->n_refused ? ")" : "");
    return NULL;
}
