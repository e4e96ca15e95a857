/* Which captures are attacked together, and the digest by which a changed capture is another one. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "capture/capture.h"

int gnt_capture_digest(const char *folder, gnt_digest *out, gnt_err *err) {
    static const char *const names[] = {"capture.json", "observed.safetensors", "private.safetensors"};
    gnt_hasher h;
    gnt_hasher_init(&h);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = gnt_format("%s/%s", folder, names[i]);
        const int there = path && (i < 2 || gnt_file_exists(path));
        gnt_digest of = {{0}};
        const int rc = !path   ? gnt_fail(err, "out of memory for %s", names[i])
                       : there ? gnt_digest_file(path, &of, err)
                               : 0;
        gnt_free(path);
        if (rc != 0)
            return -1;
        gnt_hasher_u64(&h, (uint64_t)there);
        gnt_hasher_bytes(&h, of.b, sizeof of.b);
    }
    *out = gnt_hasher_end(&h);
    return 0;
}

/* Returns the settings without what one client's captures have of their own, and maybe without the round, in
 * canonical JSON; NULL: out of memory. */
static char *common_settings(const gnt_capture_settings *s, int with_round) {
    json_t *all = gnt_fields_encode(&gnt_capture_fields, s, GNT_FIELDS_ALL);
    json_object_del(all, "about");
    json_object_del(json_object_get(all, "federation"), "client");
    if (!with_round)
        json_object_del(json_object_get(all, "federation"), "round");
    char *text = all ? gnt_json_canonical(all) : NULL;
    json_decref(all);
    return text;
}

int gnt_capture_group(const gnt_capture *c, gnt_digest *out, gnt_err *err) {
    const gnt_capture_private *b = &c->batch;
    const int has[] = {b->x != NULL,    b->labels != NULL, b->a != NULL,
                       b->mask != NULL, b->rates != NULL,  b->order != NULL};
    char *settings = common_settings(&c->settings, 1);
    gnt_hasher h;
    if (!settings)
        return gnt_fail(err, "out of memory for the settings of a capture");
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, settings);
    gnt_hasher_bytes(&h, c->weights, (size_t)gnt_model_size(c->model) * sizeof *c->weights);
    gnt_hasher_bytes(&h, c->buffers, (size_t)gnt_model_buffer_size(c->model) * sizeof *c->buffers);
    gnt_hasher_u64(&h, (uint64_t)b->rows);
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        gnt_hasher_u64(&h, (uint64_t)has[i]);
    *out = gnt_hasher_end(&h);
    gnt_free(settings);
    return 0;
}

int gnt_capture_kind(const gnt_capture *c, gnt_digest *out, gnt_err *err) {
    char *settings = common_settings(&c->settings, 0);
    if (!settings)
        return gnt_fail(err, "out of memory for the settings of a capture");
    *out = gnt_digest_bytes(settings, strlen(settings));
    gnt_free(settings);
    return 0;
}
