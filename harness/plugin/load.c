#include "plugin/load.h"

#include <dlfcn.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "plugin/abi_words.h"
#include "plugin/exports.h"
#include "plugin/python.h"

/* Structs of ABI 0.9 have other layouts. */
enum { LEAST_MINOR = 10, MOST_OBJECT = 1 << 30 };
/* Earlier formats, of hosts that accepted plugins of 0.9, or had no families or conditions, may still be
 * cached: the file must be described again. */
enum { LONGEST_DESCRIPTION = 16 << 20, DESCRIPTION_FORMAT = 4 };

int gnt_entry_check(const gnt_entry *e, const char *path, gnt_err *err) {
    if (!e)
        return gnt_fail(err, "%s: gauntlet_entry returned NULL", path);
    if (e->magic != GNT_ABI_MAGIC)
        return gnt_fail(err, "%s: magic is 0x%08x; expected 0x%08x: this is not a gauntlet plugin", path,
                        (unsigned)e->magic, GNT_ABI_MAGIC);
    if (e->abi_major != GNT_ABI_MAJOR)
        return gnt_fail(err, "%s: abi_major is %u; this host has %d: rebuild it against this host's plugin.h",
                        path, e->abi_major, GNT_ABI_MAJOR);
    if (e->abi_minor > GNT_ABI_MINOR)
        return gnt_fail(err, "%s: abi_minor is %u; this host has %d: it needs a newer host", path,
                        e->abi_minor, GNT_ABI_MINOR);
    if (e->abi_minor < LEAST_MINOR)
        return gnt_fail(
            err, "%s: abi_minor is %u; this host takes %d to %d: rebuild it against this host's plugin.h",
            path, e->abi_minor, LEAST_MINOR, GNT_ABI_MINOR);
    if (e->pointer_size != sizeof(void *))
        return gnt_fail(err, "%s: pointer_size is %u; this host has %zu", path, (unsigned)e->pointer_size,
                        sizeof(void *));
    if (e->size < GNT_ENTRY_SIZE_0_10)
        return gnt_fail(err, "%s: size of the entry is %u; expected %u or more", path, (unsigned)e->size,
                        (unsigned)GNT_ENTRY_SIZE_0_10);
    if (e->n_plugins < 1 || e->n_plugins > GNT_PLUGIN_FILE_ENTRIES)
        return gnt_fail(err, "%s: n_plugins is %d; expected 1 to %d", path, e->n_plugins,
                        GNT_PLUGIN_FILE_ENTRIES);
    if (!e->descriptor)
        return gnt_fail(err, "%s: descriptor is NULL; expected a function", path);
    return 0;
}

/* NULL: a plugin is opened from its path. */
static const char *(*place_of)(const char *path);

static const char *place(const char *path) {
    return place_of ? place_of(path) : path;
}

void gnt_plugin_open_from(const char *(*of)(const char *path)) {
    place_of = of;
}

/* True if a name that a plugin exports is reached through the host's object of that name instead: C functions
 * and data of the libraries that are loaded already. C++ shares such names between objects on purpose, and
 * those that begin with '_' are the linker's. */
static int is_taken(const char *name) {
    return name[0] != '_' && strcmp(name, "gauntlet_entry") != 0 && dlsym(RTLD_DEFAULT, name) != NULL;
}

/* Refuses a plugin that exports what a library of the host defines: its own would never be called. A file
 * whose exports cannot be listed is left to the dynamic linker. */
static int check_exports(const char *path, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_text names;
    int rc = 0;
    gnt_text_init(&names, MOST_OBJECT);
    const int listed = gnt_file_read(place(path), MOST_OBJECT, &bytes, &size, NULL) == 0 &&
                       gnt_exports(&names, bytes, size, path, NULL) == 0;
    char *text = listed ? gnt_text_take(&names) : NULL;
    const int is_plugin = text && strstr(text, "gauntlet_entry\n");
    for (char *at = text, *end; rc == 0 && is_plugin && (end = strchr(at, '\n')); at = end + 1) {
        *end = 0;
        if (is_taken(at))
            rc = gnt_fail(err,
                          "%s: it exports %s, which a library of this host defines too and which would be "
                          "called in its place; make it static or hidden (-fvisibility=hidden; of a static "
                          "library, -Wl,--exclude-libs,ALL)",
                          path, at);
    }
    gnt_free(text);
    gnt_text_free(&names);
    gnt_free(bytes);
    return rc;
}

int gnt_plugin_open(const gnt_entry **out, const char *path, gnt_err *err) {
    *out = NULL;
    if (gnt_is_script(path))
        return gnt_script_open(out, path, place(path), err) || gnt_entry_check(*out, path, err) ? -1 : 0;
    if (check_exports(path, err) != 0)
        return -1;
    void *object = dlopen(place(path), RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return gnt_fail(err, "%s: cannot be opened as a plugin: %s", path, dlerror());
    const gnt_entry *(*entry)(void) = NULL;
    void *symbol = dlsym(object, "gauntlet_entry");
    if (!symbol)
        return gnt_fail(err, "%s: it does not export gauntlet_entry, which every plugin must", path);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no conversion from object to function pointers */
    const gnt_entry *e = entry();
    if (gnt_entry_check(e, path, err))
        return -1;
    *out = e;
    return 0;
}

int gnt_entry_find(const gnt_descriptor **out, const gnt_entry *entry, const char *path, int32_t kind,
                   const char *id, gnt_err *err) {
    *out = NULL;
    for (int32_t i = 0; i < entry->n_plugins; i++) {
        const gnt_descriptor *d = entry->descriptor(i);
        gnt_plugin_info info;
        if (gnt_info_of_descriptor(&info, d, path, NULL, i, err))
            return -1;
        int same = info.kind == kind && strcmp(info.id, id) == 0;
        gnt_info_free(&info);
        if (same) {
            *out = d;
            return 0;
        }
    }
    return gnt_fail(err, "%s: it describes no %s \"%.60s\"", path,
                    gnt_word_name(&gnt_kind_words, (uint32_t)kind), id);
}

int gnt_plugin_load(const gnt_descriptor **out, const char *path, int32_t kind, const char *id,
                    gnt_err *err) {
    const gnt_entry *entry;
    *out = NULL;
    if (gnt_plugin_open(&entry, path, err))
        return -1;
    return gnt_entry_find(out, entry, path, kind, id, err);
}

/* ---- descriptions ---- */

int gnt_describe(char **json, const char *path, gnt_err *err) {
    gnt_digest digest;
    const gnt_entry *entry;
    char hex[GNT_HEX_SIZE];
    gnt_text out;
    *json = NULL;
    if (gnt_digest_file(place(path), &digest, err) || gnt_plugin_open(&entry, path, err))
        return -1;
    gnt_digest_hex(&digest, hex);
    gnt_text_init(&out, LONGEST_DESCRIPTION);
    gnt_text_add(&out, "{\"format\":%d,\"digest\":\"%s\",\"plugins\":[", DESCRIPTION_FORMAT, hex);
    for (int32_t i = 0; i < entry->n_plugins; i++) {
        gnt_plugin_info info;
        if (gnt_info_of_descriptor(&info, entry->descriptor(i), path, hex, i, err)) {
            gnt_text_free(&out);
            return -1;
        }
        gnt_text_add(&out, "%s", i ? "," : "");
        gnt_info_write(&out, &info);
        gnt_info_free(&info);
    }
    gnt_text_add(&out, "]}\n");
    *json = gnt_text_take(&out);
    return *json ? 0 : gnt_fail(err, "%s: its description is too large, or out of memory", path);
}

static int read_header(const gnt_doc *doc, const char *digest, const json_t **plugins, gnt_err *err) {
    static const char *const keys[] = {"format", "digest", "plugins"};
    const json_t *root = doc->root;
    int64_t format;
    const char *hex;
    if (gnt_doc_keys(doc, "", root, keys, 3, err))
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (gnt_doc_need(doc, "", root, keys[i], "it", err))
            return -1;
    if (gnt_doc_int(doc, "", root, "format", DESCRIPTION_FORMAT, DESCRIPTION_FORMAT, &format, err) ||
        gnt_doc_text(doc, "", root, "digest", GNT_HEX_SIZE - 1, &hex, err) ||
        gnt_doc_list(doc, "", root, "plugins", 1, GNT_PLUGIN_FILE_ENTRIES, plugins, err))
        return -1;
    if (strcmp(hex, digest) != 0)
        return gnt_doc_fail(err, doc, "digest",
                            "is %.16s…, not that of the file (%.16s…): it changed meanwhile", hex, digest);
    return 0;
}

/* Replaces the path and digest that a description states by those of the file that the caller described. */
static int own_place(gnt_plugin_info *info, const char *file, const char *digest, gnt_err *err) {
    char *path = gnt_strdup(file);
    if (!path)
        return gnt_fail(err, "%s: out of memory", file);
    gnt_free(info->file);
    info->file = path;
    memcpy(info->digest, digest, GNT_HEX_SIZE);
    return 0;
}

static int read_plugins(gnt_plugin_info *info, size_t n, const gnt_doc *doc, const json_t *plugins,
                        const char *file, const char *digest, gnt_err *err) {
    for (size_t i = 0; i < n; i++) {
        gnt_path at = gnt_path_item("plugins", i);
        if (gnt_info_parse(&info[i], doc, at.text, json_array_get(plugins, i), err) ||
            own_place(&info[i], file, digest, err))
            return -1;
        if (info[i].index != (int32_t)i)
            return gnt_doc_fail(err, doc, at.text, "has index %d; expected %zu", info[i].index, i);
    }
    return 0;
}

int gnt_describe_read(gnt_plugin_list *list, const char *json, size_t size, const char *file,
                      const char *digest, gnt_err *err) {
    gnt_doc doc;
    const json_t *plugins;
    gnt_plugin_info *info = NULL;
    size_t n = 0;
    gnt_err place = {0};
    gnt_fail(&place, "description of %.600s", file);
    if (size > LONGEST_DESCRIPTION)
        return gnt_fail(err, "%s: %zu bytes; expected at most %d", place.text, size, LONGEST_DESCRIPTION);
    if (gnt_doc_parse(&doc, place.text, json, size, err))
        return -1;
    int bad = read_header(&doc, digest, &plugins, err);
    if (!bad) {
        n = json_array_size(plugins);
        info = gnt_array(n, sizeof *info);
        bad = info ? read_plugins(info, n, &doc, plugins, file, digest, err)
                   : gnt_fail(err, "%s: out of memory", place.text);
    }
    /* checked before adding, so that a file is added completely or not at all */
    for (size_t i = 0; !bad && i < n; i++)
        for (size_t j = 0; !bad && j < i; j++)
            if (info[i].kind == info[j].kind && strcmp(info[i].id, info[j].id) == 0)
                bad = gnt_fail(err, "%s: it describes the %s \"%s\" twice", file,
                               gnt_word_name(&gnt_kind_words, (uint32_t)info[i].kind), info[i].id);
    for (size_t i = 0; !bad && i < n; i++)
        if (gnt_plugin_list_find(list, info[i].kind, info[i].id))
            bad = gnt_plugin_list_add(list, &info[i], err); /* fails, and names both files */
    for (size_t added = 0; !bad && added < n; added++)
        bad = gnt_plugin_list_add(list, &info[added], err);
    for (size_t i = 0; info && i < n; i++)
        gnt_info_free(&info[i]);
    gnt_free(info);
    gnt_doc_free(&doc);
    return bad;
}
