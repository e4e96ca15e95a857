/* What defenses and attacks share: a plugin, its parameters, a label, the tasks it is for. */
#include <string.h>

#include "base/lookalike.h"
#include "suite/suite_impl.h"

/* ---- the plugin and its parameters ---- */

/* Checks parameters that name one of the suite's models. */
static int check_models(suite_reader *r, const char *path, const json_t *params,
                        const gnt_plugin_info *info) {
    const gnt_suite *s = r->s;
    const char *ids[GNT_SUITE_MOST_MODELS];
    for (size_t i = 0; i < s->n_models; i++)
        ids[i] = s->model[i].of.id;
    for (int32_t i = 0; i < info->n_parameters; i++) {
        const gnt_parameter *p = &info->parameters[i];
        const json_t *id = json_object_get(params, p->id);
        const gnt_path at = gnt_path_key(path, p->id);
        int which;
        if (p->type != GNT_TYPE_MODEL || (!id && p->preset_text))
            continue;
        if (!id)
            return suite_fail(r, at.text, "is missing; %s needs the id of one of the suite's \"models\"",
                              info->id);
        if (s->n_models == 0)
            return suite_fail(r, at.text, "is %s, but the suite has no \"models\"; add one with that id",
                              gnt_show(id).text);
        if (suite_choice_at(r, at.text, id, ids, s->n_models, &which))
            return -1;
    }
    return 0;
}

int suite_read_member(suite_reader *r, const char *path, const json_t *id, int32_t kind,
                      const char *params_path, const json_t *params, gnt_suite_member *out) {
    const char *name = NULL;
    gnt_params values = {0};
    if (suite_text_at(r, path, id, GNT_SUITE_NAME, &name))
        return -1;
    int32_t other = kind == GNT_PLUGIN_DEFENSE ? GNT_PLUGIN_ATTACK : GNT_PLUGIN_DEFENSE;
    if (!gnt_plugin_list_find(r->env->plugins, kind, name) &&
        gnt_plugin_list_find(r->env->plugins, other, name))
        return suite_fail(r, path, "\"%s\" is %s; expected %s, or this entry moved to the list \"%s\"", name,
                          kind == GNT_PLUGIN_DEFENSE ? "an attack" : "a defense",
                          kind == GNT_PLUGIN_DEFENSE ? "a defense" : "an attack",
                          kind == GNT_PLUGIN_DEFENSE ? "attacks" : "defenses");
    out->info = gnt_plugin_list_need(r->env->plugins, kind, name, path, r->err);
    if (!out->info)
        return suite_fail_at_path(r);
    if (gnt_params_read(&values, out->info->parameters, out->info->n_parameters, r->doc, params_path, params,
                        r->err))
        return -1;
    int rc = check_models(r, params_path, params, out->info);
    if (rc == 0)
        out->params = gnt_params_canonical(&values);
    gnt_params_free(&values);
    if (rc != 0)
        return -1;
    return out->params ? 0 : suite_no_memory(r);
}

void suite_free_member(gnt_suite_member *m) {
    gnt_free(m->params);
    *m = (gnt_suite_member){0};
}

/* ---- labels ---- */

/* Checks the characters of a label, which is part of cell ids between '/' and '@', of tables and of HTML. */
static int check_label(suite_reader *r, const char *path, const char *label) {
    size_t n = strlen(label), bad = strcspn(label, "/@\"\\<>&|`$");
    if (label[bad])
        return suite_fail(
            r, path,
            "is %s, with a '%c'; expected text without / @ \" \\ < > & | ` $ (it becomes part of cell ids)",
            gnt_show_text(label).text, label[bad]);
    if (label[0] == ' ' || label[n - 1] == ' ')
        return suite_fail(r, path, "is %s; expected no space at its ends", gnt_show_text(label).text);
    return 0;
}

/* Refuses a label that reads like the id of a plugin that is not the entry's own, `own`. */
static int check_no_other_plugin(suite_reader *r, const char *path, const char *label, const char *own,
                                 const char *list) {
    const int32_t kind = strcmp(list, "attacks") == 0 ? GNT_PLUGIN_ATTACK : GNT_PLUGIN_DEFENSE;
    for (size_t i = 0; i < r->env->plugins->n; i++) {
        const gnt_plugin_info *info = &r->env->plugins->info[i];
        const int alike =
            info->kind == kind && strcmp(info->id, own) != 0 ? gnt_looks_alike(info->id, label, r->err) : 0;
        if (alike < 0)
            return gnt_fail_in(r->err, "%s", r->doc->name);
        if (alike)
            return suite_fail(
                r, path,
                "is %s, which reads like the plugin %s, but the entry is %s; expected another label, "
                "or none",
                gnt_show_text(label).text, info->id, own);
    }
    return 0;
}

int suite_read_label(suite_reader *r, const char *path, const json_t *object, const char *otherwise,
                     const char *list, const char *const *names, size_t n, char **out) {
    const char *label = otherwise;
    const gnt_path at = gnt_path_key(path, "label");
    int given = json_object_get(object, "label") != NULL;
    if (suite_text(r, path, object, "label", GNT_SUITE_NAME, &label) ||
        (given &&
         (check_label(r, at.text, label) || check_no_other_plugin(r, at.text, label, otherwise, list))))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], label) == 0)
            return suite_fail(r, given ? at.text : path,
                              given ? "is \"%s\", the name of %s[%zu] already; expected a label of its own"
                                    : "has the name \"%s\", as %s[%zu] does; add a \"label\" of its own",
                              label, list, i);
    *out = gnt_strdup(label);
    return *out ? 0 : suite_no_memory(r);
}

/* ---- tasks ---- */

int suite_read_on_task(suite_reader *r, const char *path, const json_t *object, uint8_t **out) {
    const gnt_suite *s = r->s;
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "tasks");
    const char *ids[GNT_SUITE_MOST_TASKS];
    uint8_t *on = *out = gnt_array(s->n_tasks, 1);
    if (!on)
        return suite_no_memory(r);
    if (suite_list(r, path, object, "tasks", 1, GNT_SUITE_MOST_TASKS, &list))
        return -1;
    for (size_t i = 0; i < s->n_tasks; i++) {
        on[i] = !list;
        ids[i] = s->task[i].id;
    }
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        int which = 0;
        const gnt_path item = gnt_path_item(at.text, i);
        if (suite_choice_at(r, item.text, json_array_get(list, i), ids, s->n_tasks, &which))
            return -1;
        if (on[which])
            return suite_fail(r, item.text, "\"%s\" is listed twice; remove one", ids[which]);
        on[which] = 1;
    }
    return 0;
}
