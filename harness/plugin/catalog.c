#include "plugin/catalog.h"

#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "plugin/find.h"
#include "plugin/abi_words.h"
#include "plugin/load.h"
#include "plugin/own_ids.h"

enum { LONGEST_ANSWER = 16 << 20 };

/* A cached description is followed by its own digest in hexadecimal: a bit flip on the disk may leave a valid
 * but different one. */
enum { SUM = GNT_HEX_SIZE - 1 };

static int read_cached(gnt_plugin_list *one, const char *cached, const char *file, const char *digest) {
    uint8_t *bytes;
    size_t size;
    char sum[GNT_HEX_SIZE];
    if (!cached || gnt_file_read(cached, LONGEST_ANSWER + SUM, &bytes, &size, NULL))
        return -1;
    int bad = -1;
    if (size > SUM) {
        const gnt_digest d = gnt_digest_bytes(bytes, size - SUM);
        gnt_digest_hex(&d, sum);
        bad = memcmp(bytes + size - SUM, sum, SUM) != 0 ? -1 : 0;
    }
    if (!bad) {
        bytes[size - SUM] = 0;
        bad = gnt_describe_read(one, (const char *)bytes, size - SUM, file, digest, NULL);
    }
    gnt_free(bytes);
    return bad;
}

/* Caches a description; without effect if that fails. */
static void keep(const gnt_catalog_spec *spec, const char *cached, const char *json, size_t size) {
    char *whole = cached && gnt_make_dirs(spec->cache, NULL) == 0 ? gnt_array(size + GNT_HEX_SIZE, 1) : NULL;
    if (!whole)
        return;
    const gnt_digest d = gnt_digest_bytes(json, size);
    memcpy(whole, json, size);
    gnt_digest_hex(&d, whole + size);
    gnt_file_write(cached, whole, size + SUM, NULL);
    gnt_free(whole);
}

/* Describes a file in a worker; `why`: the reason for which it is refused. */
static int describe(gnt_plugin_list *one, const gnt_catalog_spec *spec, const char *cached, const char *file,
                    const char *digest, gnt_err *why) {
    char *json = NULL;
    size_t size = 0;
    if (spec->describe(spec->context, file, &json, &size, why))
        return -1;
    int bad = gnt_describe_read(one, json, size, file, digest, why);
    if (!bad)
        keep(spec, cached, json, size);
    gnt_free(json);
    return bad;
}

/* Refuses a file that is not the program's own and has the id of a built-in plugin. */
static int check_id(const gnt_plugin_info *info, int own, gnt_err *err) {
    if (own || !gnt_is_own_id(info->id))
        return 0;
    return gnt_fail(
        err,
        "%s: the %s has the id \"%s\", which is that of a built-in plugin; give it an id of its own, "
        "or take the file away (built-in plugins are read from the folder of the program alone)",
        info->file, gnt_word_name(&gnt_kind_words, (uint32_t)info->kind), info->id);
}

static int add_file(gnt_plugin_list *out, const gnt_catalog_spec *spec, const char *file, int own,
                    gnt_err *err) {
    gnt_plugin_list one = {0};
    gnt_digest digest;
    char hex[GNT_HEX_SIZE];
    gnt_err why = {0};
    int bad = 0;
    if (gnt_digest_file(file, &digest, &why))
        return gnt_plugin_list_refuse(out, file, why.text, err);
    gnt_digest_hex(&digest, hex);
    char *cached = spec->cache ? gnt_format("%s/%s.json", spec->cache, hex) : NULL;
    if (read_cached(&one, cached, file, hex) && describe(&one, spec, cached, file, hex, &why))
        bad = gnt_plugin_list_refuse(out, file, why.text, err);
    for (size_t i = 0; !bad && i < one.n; i++)
        bad = check_id(&one.info[i], own, err) || gnt_plugin_list_add(out, &one.info[i], err) ? -1 : 0;
    gnt_free(cached);
    gnt_plugin_list_free(&one);
    return bad;
}

int gnt_catalog(gnt_plugin_list *out, const gnt_catalog_spec *spec, gnt_err *err) {
    gnt_paths files;
    *out = (gnt_plugin_list){0};
    if (gnt_find_own_plugins(&files, spec->plugins, err))
        return -1;
    int bad = 0;
    for (size_t i = 0; i < files.n && !bad; i++)
        bad = add_file(out, spec, files.path[i], i < files.n_own, err);
    gnt_paths_free(&files);
    if (bad)
        gnt_plugin_list_free(out);
    return bad;
}
