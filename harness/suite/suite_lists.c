/* Lists of attacks: "attacks" may name one, NAME.json in suites/standard, or NAME-VARIANT, a variant that the
 * list defines. A run's suite.json has copies of the lists that it names, in "lists", so that it is complete;
 * they are read in the place of the files. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "plugin/abi_words.h"
#include "suite/suite_impl.h"

enum { MOST_MEMBERS = 64, MOST_VARIANTS = 8, MOST_SAYS = 400 };

/* What a list may grant, and what else a variant may add. */
static const uint32_t grantable = GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_SHADOW |
                                  GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_ATTRIBUTE | GNT_KNOWS_HISTORY |
                                  GNT_KNOWS_DEFENSE;
static const uint32_t variable = GNT_KNOWS_LABELS;

/* ---- finding them ---- */

static suite_list_file *find_known(suite_reader *r, const char *name) {
    for (size_t i = 0; i < r->n_lists; i++)
        if (strcmp(r->list[i].name, name) == 0)
            return &r->list[i];
    return NULL;
}

/* Adds a list by its name; NULL with a message. */
static suite_list_file *add_list(suite_reader *r, const char *path, const char *name) {
    if (r->n_lists == SUITE_LISTS) {
        suite_fail(r, path, "is one more than %d lists of attacks; use fewer", SUITE_LISTS);
        return NULL;
    }
    suite_list_file *f = &r->list[r->n_lists++];
    *f = (suite_list_file){.doc = r->doc};
    snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

/* Reads the file of a list, where there is one: *found, else NULL. */
static int load_file(suite_reader *r, const char *path, const char *name, suite_list_file **found) {
    static const char *const usual[] = {"suites/standard", NULL};
    const char *const *folder = r->env->list_folders ? r->env->list_folders : usual;
    *found = NULL;
    for (; *folder; folder++) {
        char *file = gnt_format("%s/%s.json", *folder, name);
        if (!file)
            return suite_no_memory(r);
        const int is_there = gnt_file_exists(file);
        suite_list_file *f = is_there ? add_list(r, path, name) : NULL;
        const int rc = !is_there ? 0 : f ? gnt_doc_load(&f->file, file, GNT_DOC_MOST, r->err) : -1;
        gnt_free(file);
        if (rc != 0)
            return -1;
        if (f) {
            f->doc = &f->file;
            f->root = f->file.root;
            *found = f;
            return 0;
        }
    }
    return 0;
}

static int has_variant(const suite_list_file *f, const char *variant) {
    return json_object_get(json_object_get(f->root, "variants"), variant) != NULL;
}

/* Copies to `stem` what a name has before its last "-"; 0 if there is nothing. */
static int stem_of(const char *name, char stem[GNT_SUITE_NAME + 1]) {
    const char *dash = strrchr(name, '-');
    if (!dash || dash == name)
        return 0;
    snprintf(stem, GNT_SUITE_NAME + 1, "%.*s", (int)(dash - name), name);
    return 1;
}

static suite_list_file *find_known_variant(suite_reader *r, const char *name) {
    char stem[GNT_SUITE_NAME + 1];
    suite_list_file *f = stem_of(name, stem) ? find_known(r, stem) : NULL;
    return f && has_variant(f, name + strlen(stem) + 1) ? f : NULL;
}

static int is_unknown(suite_reader *r, const char *path, const char *name) {
    char stem[GNT_SUITE_NAME + 1];
    if (gnt_plugin_list_find(r->env->plugins, GNT_PLUGIN_ATTACK, name))
        return suite_fail(r, path,
                          "is \"%s\", a plugin; expected {\"attack\": \"%s\"}, or the name of a list of "
                          "attacks, such as \"standard-1\"",
                          name, name);
    if (stem_of(name, stem) && find_known(r, stem))
        return suite_fail(r, path,
                          "is \"%s\", but the list %s has no variant \"%s\"; `gauntlet show %s` prints "
                          "those that it has",
                          name, stem, name + strlen(stem) + 1, stem);
    const char *near = gnt_plugin_list_near(r->env->plugins, GNT_PLUGIN_ATTACK, name);
    return suite_fail(r, path,
                      "is \"%s\", but there is no such list of attacks; %s%s%sexpected the name of a file in "
                      "suites/standard, such as \"standard-1\", or of a variant in it",
                      name, near ? "did you mean the attack \"" : "", near ? near : "", near ? "\"? " : "");
}

/* Finds the list that an entry of "attacks" names. */
static int find_list(suite_reader *r, const char *path, const json_t *entry) {
    const char *name = NULL;
    char stem[GNT_SUITE_NAME + 1];
    if (suite_text_at(r, path, entry, GNT_SUITE_NAME, &name))
        return -1;
    if (!suite_is_id(name))
        return suite_fail(r, path, "is %s; expected the name of a list of attacks, such as \"standard-1\"",
                          gnt_show_text(name).text);
    suite_list_file *f = find_known(r, name);
    f = f ? f : find_known_variant(r, name);
    if (!f && load_file(r, path, name, &f) != 0)
        return -1;
    if (!f && stem_of(name, stem) && !find_known(r, stem)) {
        if (load_file(r, path, stem, &f) != 0)
            return -1;
        f = find_known_variant(r, name);
    }
    if (!f)
        return is_unknown(r, path, name);
    f->used = 1;
    return 0;
}

/* ---- the copies in a suite ---- */

/* Puts copies of the lists into the suite, and into its text. */
static int copy_lists(suite_reader *r, json_t *root) {
    json_t *lists = json_object(), *whole = json_loads(r->doc->text, 0, NULL);
    int bad = !lists || !whole;
    for (size_t i = 0; !bad && i < r->n_lists; i++)
        bad = json_object_set_new(lists, r->list[i].name, json_deep_copy(r->list[i].root)) != 0;
    bad = bad || json_object_set(root, "lists", lists) != 0 || json_object_set(whole, "lists", lists) != 0;
    char *text = bad ? NULL : gnt_json_readable(whole);
    json_decref(lists);
    json_decref(whole);
    if (!text)
        return suite_no_memory(r);
    gnt_free(r->s->text);
    r->s->text = text;
    return 0;
}

static int take_copies(suite_reader *r, const json_t *root) {
    const json_t *lists = NULL;
    const char *name;
    json_t *value;
    if (suite_object(r, "", root, "lists", &lists))
        return -1;
    json_object_foreach((json_t *)(uintptr_t)lists, name, value) {
        const gnt_path at = gnt_path_key("lists", name);
        if (strlen(name) > GNT_SUITE_NAME || !suite_is_id(name))
            return suite_fail(r, at.text, "expected letters, digits, '-' and '_' as the name of a list");
        suite_list_file *f = add_list(r, at.text, name);
        if (!f)
            return -1;
        f->at = at;
        f->root = value;
    }
    return 0;
}

/* Finds the lists that the suite names; "attacks" that is a name becomes a list of one. */
int suite_find_lists(suite_reader *r, const gnt_doc *doc) {
    json_t *root = doc->root, *attacks = json_object_get(root, "attacks");
    int from_files = 0;
    if (!json_is_object(root))
        return 0; /* the reader of the root refuses it with a better message */
    if (take_copies(r, root) != 0)
        return -1;
    if (json_is_string(attacks)) {
        json_t *one = json_array();
        if (!one || json_array_append(one, attacks) != 0 || json_object_set_new(root, "attacks", one) != 0)
            return suite_no_memory(r);
        attacks = one;
    }
    for (size_t i = 0; i < json_array_size(attacks); i++)
        if (json_is_string(json_array_get(attacks, i)) &&
            find_list(r, gnt_path_item("attacks", i).text, json_array_get(attacks, i)) != 0)
            return -1;
    for (size_t i = 0; i < r->n_lists; i++) {
        if (!r->list[i].used)
            return suite_fail_key(r, "lists", r->list[i].name, "is in no entry of \"attacks\"; remove it");
        from_files |= r->list[i].doc != r->doc;
    }
    return from_files ? copy_lists(r, root) : 0;
}

void suite_free_lists(suite_reader *r) {
    for (size_t i = 0; i < r->n_lists; i++)
        gnt_doc_free(&r->list[i].file);
    r->n_lists = 0;
}

/* ---- the head of a list ---- */

/* A list as it is read: its file, and the grants that the chosen variant removes and adds. */
typedef struct reading {
    const suite_list_file *file;
    uint32_t without, with;
} reading;

static gnt_path path_in(const suite_list_file *f, const char *key) {
    return *f->at.text ? gnt_path_key(f->at.text, key) : gnt_path_key("", key);
}

static int check_abi(suite_reader *r, const char *path, const json_t *root) {
    const char *text = NULL;
    int major = 0, minor = 0, n = 0;
    const gnt_path at = gnt_path_key(path, "abi");
    if (suite_need(r, path, root, "abi", "the plugin ABI that it was written for, such as \"0.12\"") ||
        suite_text(r, path, root, "abi", 16, &text))
        return -1;
    if (sscanf(text, "%5d.%5d%n", &major, &minor, &n) != 2 || text[n] || major < 0 || minor < 0)
        return suite_fail(r, at.text, "is %s; expected the version of a plugin ABI, such as \"0.12\"",
                          gnt_show_text(text).text);
    if (major != GNT_ABI_MAJOR || minor > GNT_ABI_MINOR)
        return suite_fail(
            r, at.text,
            "is \"%s\", but this version of gauntlet has the plugin ABI %d.%d; expected a list for "
            "%d.0 to %d.%d",
            text, GNT_ABI_MAJOR, GNT_ABI_MINOR, GNT_ABI_MAJOR, GNT_ABI_MAJOR, GNT_ABI_MINOR);
    return 0;
}

/* Checks that grants are among those allowed. */
static int check_grants(suite_reader *r, const char *path, uint32_t grants, uint32_t allowed,
                        const char *what) {
    char refused[400], expected[400];
    if (!(grants & ~allowed))
        return 0;
    return suite_fail_key(r, path, what, "has %s, which a list of attacks may not grant; expected some of %s",
                          gnt_words_list(&gnt_knowledge_words, grants & ~allowed, refused, sizeof refused),
                          gnt_words_list(&gnt_knowledge_words, allowed, expected, sizeof expected));
}

static int read_variant(suite_reader *r, const char *path, const json_t *object, uint32_t *without,
                        uint32_t *with) {
    const char *says = NULL;
    return suite_keys(r, path, object, "says", "without", "with") ||
           suite_need(r, path, object, "says", "a sentence on what differs") ||
           suite_text(r, path, object, "says", MOST_SAYS, &says) ||
           suite_read_grants(r, path, object, "without", without) ||
           suite_read_grants(r, path, object, "with", with) ||
           check_grants(r, path, *without, grantable, "without") ||
           check_grants(r, path, *with, variable, "with");
}

static int read_variants(suite_reader *r, reading *of, const char *wanted, gnt_text *names) {
    const json_t *variants = NULL;
    const char *name;
    json_t *value;
    const gnt_path at = path_in(of->file, "variants");
    if (suite_object(r, of->file->at.text, of->file->root, "variants", &variants))
        return -1;
    if (json_object_size(variants) > MOST_VARIANTS)
        return suite_fail(r, at.text, "has %zu variants; expected at most %d", json_object_size(variants),
                          MOST_VARIANTS);
    json_object_foreach((json_t *)(uintptr_t)variants, name, value) {
        uint32_t without = 0, with = 0;
        if (read_variant(r, gnt_path_key(at.text, name).text, value, &without, &with) != 0)
            return -1;
        gnt_text_add(names, "%s%s-%s", gnt_text_get(names)[0] ? ", " : "", of->file->name, name);
        if (strcmp(name, wanted) == 0) {
            of->without = without;
            of->with = with;
        }
    }
    return 0;
}

static int read_variant_names(suite_reader *r, reading *of, const char *wanted, gnt_suite_list *out) {
    gnt_text names;
    gnt_text_init(&names, 1 << 12);
    const int rc = read_variants(r, of, wanted, &names);
    out->variants = gnt_strdup(gnt_text_get(&names));
    gnt_text_free(&names);
    return rc ? -1 : out->variants ? 0 : suite_no_memory(r);
}

static int read_head(suite_reader *r, reading *of, const char *wanted, gnt_suite_list *out) {
    static const char *const states[] = {"draft", "frozen"};
    const char *path = of->file->at.text, *name = NULL, *says = NULL;
    const json_t *root = of->file->root;
    int status = 0;
    if (suite_keys(r, path, root, "list", "status", "abi", "says", "variants", "attacks") ||
        suite_need(r, path, root, "list", "the name of the list, which is that of its file") ||
        suite_text(r, path, root, "list", GNT_SUITE_NAME, &name))
        return -1;
    if (strcmp(name, of->file->name) != 0)
        return suite_fail_key(r, path, "list", "is %s, but the list was found as \"%s\"; use one name",
                              gnt_show_text(name).text, of->file->name);
    if (suite_need(r, path, root, "status", "\"draft\" or \"frozen\"") ||
        suite_choice(r, path, root, "status", states, 2, &status) || check_abi(r, path, root) ||
        suite_need(r, path, root, "says", "a sentence on what the list is for") ||
        suite_text(r, path, root, "says", MOST_SAYS, &says) || read_variant_names(r, of, wanted, out))
        return -1;
    out->status = gnt_strdup(states[status]);
    out->says = gnt_strdup(says);
    return out->status && out->says ? 0 : suite_no_memory(r);
}

/* ---- its members ---- */

static int is_same(const gnt_suite_member *a, const gnt_suite_member *b) {
    return a->info == b->info && (!a->info || strcmp(a->params, b->params) == 0);
}

/* Refuses a member that is called like an earlier one of the list, or does the same. */
static int check_is_new(suite_reader *r, const char *path, const gnt_suite_attack *members, size_t n) {
    const gnt_suite_attack *a = &members[n];
    for (size_t i = 0; i < n; i++) {
        const gnt_suite_attack *b = &members[i];
        if (strcmp(a->label, b->label) == 0)
            return suite_fail_key(r, path, "id", "is that of attacks[%zu] already; expected an id of its own",
                                  i);
        if (is_same(&a->member, &b->member) && is_same(&a->first, &b->first) && a->budget == b->budget &&
            a->first_budget == b->first_budget && a->grants == b->grants)
            return suite_fail(r, path,
                              "is the same attack as attacks[%zu], with the same parameters, budget and "
                              "grants; remove one",
                              i);
    }
    return 0;
}

static int read_member(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    const char *says = NULL;
    char *id = NULL;
    if (suite_keys(r, path, object, "id", "attack", "params", "grants", "budget", "says") ||
        suite_need(r, path, object, "attack", "the id of a plugin, such as \"attack\": \"dlg\"") ||
        suite_need(r, path, object, "says", "a sentence on what the attack is for") ||
        suite_text(r, path, object, "says", MOST_SAYS, &says) || suite_read_plugins(r, path, object, a) ||
        suite_read_grants(r, path, object, "grants", &a->grants) ||
        check_grants(r, path, a->grants, grantable, "grants") ||
        suite_read_on_task(r, path, object, &a->on_task) ||
        suite_read_id(r, path, object, "id", "a name for the attack in this list", &id))
        return -1;
    a->label = gnt_format("%s:%s", a->list->name, id);
    a->says = gnt_strdup(says);
    gnt_free(id);
    if (!a->label || !a->says)
        return suite_no_memory(r);
    if (strlen(a->label) > GNT_SUITE_NAME)
        return suite_fail_key(r, path, "id",
                              "makes the label \"%s\", of more than %d bytes; expected a shorter id",
                              a->label, GNT_SUITE_NAME);
    return 0;
}

static int read_members(suite_reader *r, reading *of, gnt_suite_list *list, gnt_suite_attack *out,
                        size_t *n) {
    const json_t *members = NULL;
    const gnt_path at = path_in(of->file, "attacks");
    if (suite_need(r, of->file->at.text, of->file->root, "attacks", "a list of attacks") ||
        suite_list(r, of->file->at.text, of->file->root, "attacks", 1, MOST_MEMBERS, &members))
        return -1;
    for (size_t i = 0; i < json_array_size(members); i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        gnt_suite_attack *a = &out[i];
        a->list = list;
        ++*n;
        if (read_member(r, item.text, json_array_get(members, i), a) || check_is_new(r, item.text, out, i))
            return -1;
    }
    for (size_t i = 0; i < json_array_size(members); i++)
        out[i].grants = (out[i].grants & ~of->without) | of->with;
    return 0;
}

/* Digests the content of the list and the versions of its plugins. */
static int digest_list(suite_reader *r, const suite_list_file *f, const gnt_suite_attack *members, size_t n,
                       gnt_suite_list *out) {
    char *canonical = gnt_json_canonical(f->root);
    if (!canonical)
        return suite_no_memory(r);
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, canonical);
    for (size_t i = 0; i < n; i++) {
        const gnt_plugin_info *const info[] = {members[i].first.info, members[i].member.info};
        for (size_t k = 0; k < 2; k++) {
            gnt_hasher_text(&h, info[k] ? info[k]->id : "");
            gnt_hasher_text(&h, info[k] ? info[k]->version : "");
        }
    }
    const gnt_digest digest = gnt_hasher_end(&h);
    gnt_digest_hex(&digest, out->digest);
    gnt_free(canonical);
    return 0;
}

static const suite_list_file *list_named(suite_reader *r, const char *name) {
    const suite_list_file *f = find_known(r, name);
    return f ? f : find_known_variant(r, name);
}

size_t suite_list_size(suite_reader *r, const char *name) {
    const size_t n = json_array_size(json_object_get(list_named(r, name)->root, "attacks"));
    return n < MOST_MEMBERS ? n : MOST_MEMBERS;
}

int suite_read_list(suite_reader *r, const char *name, gnt_suite_list *list, gnt_suite_attack *out,
                    size_t *n) {
    const size_t before = *n; /* attacks of the suite, of which *n counts all */
    reading of = {.file = list_named(r, name)};
    const gnt_doc *suite = r->doc;
    const char *variant = name + strlen(of.file->name);
    list->name = gnt_strdup(name);
    if (!list->name)
        return suite_no_memory(r);
    r->doc = of.file->doc;
    const int rc = read_head(r, &of, *variant ? variant + 1 : variant, list) ||
                   read_members(r, &of, list, out, n) || digest_list(r, of.file, out, *n - before, list);
    r->doc = suite;
    return rc ? -1 : 0;
}
