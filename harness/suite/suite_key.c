/* Reads the run key of a suite: made from "seed", or the content of "key_file", with "key_for" a key of
 * its own for this run. */
#include <string.h>

#include "base/file.h"
#include "suite/suite_impl.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Never quotes the file in messages: it is a secret. */
int gnt_suite_read_key(const char *path, gnt_key *key, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0, n = 0;
    if (gnt_file_read(path, 4096, &bytes, &size, err) != 0)
        return -1;
    const size_t whole = size;
    while (size && strchr(" \t\r\n", bytes[size - 1]))
        size--;
    while (n < size && hex_digit((char)bytes[n]) >= 0)
        n++;
    const int rc =
        n == 64 && size == 64
            ? 0
            : gnt_fail(err,
                       "%s is not a key: %zu bytes, of which the first %zu are hexadecimal digits; "
                       "expected exactly 64 digits (32 random bytes)",
                       gnt_show_text(path).text, size, n);
    for (size_t i = 0; i < 32 && rc == 0; i++)
        key->b[i] = (uint8_t)(hex_digit((char)bytes[2 * i]) << 4 | hex_digit((char)bytes[2 * i + 1]));
    explicit_bzero(bytes, whole);
    gnt_free(bytes);
    return rc;
}

/* Returns the path of the key file; NULL with a message if it is not here. The caller frees. */
static char *find_key_file(suite_reader *r, const char *name) {
    if (r->env->key_file)
        return gnt_strdup(r->env->key_file);
    return suite_find_file(r, "key_file", name, "a file of 64 hexadecimal digits, the secret run key");
}

/* True if the suite is read without its key. */
static int is_key_left_out(suite_reader *r, const char *name) {
    gnt_err *err = r->err;
    if (!r->env->files_may_lack)
        return 0;
    r->err = NULL;
    char *file = find_key_file(r, name);
    r->err = err;
    const int lacks = file == NULL;
    gnt_free(file);
    return lacks;
}

static int read_key_file(suite_reader *r, const char *name) {
    if (is_key_left_out(r, name)) {
        r->s->key_unknown = 1;
        return 0;
    }
    char *file = find_key_file(r, name);
    if (!file)
        return -1;
    const int rc = gnt_suite_read_key(file, &r->s->key, r->err);
    gnt_free(file);
    return rc ? suite_fail_in(r, "key_file") : 0;
}

int suite_read_key(suite_reader *r, const json_t *root) {
    int64_t seed = 1;
    const char *file = NULL, *purpose = NULL;
    if (suite_int(r, "", root, "seed", 0, INT64_MAX, &seed) ||
        suite_text(r, "", root, "key_file", 4000, &file) || suite_text(r, "", root, "key_for", 200, &purpose))
        return -1;
    if (purpose && !file)
        return suite_fail(r, "key_for",
                          "is given without \"key_file\", the secret key from which it makes the run key");
    if (file && json_object_get(root, "seed"))
        return suite_fail(
            r, "key_file",
            "is given in addition to \"seed\"; the run key comes from one of them: remove the other");
    r->s->seed = (uint64_t)seed;
    r->s->secret = file != NULL;
    r->s->key = gnt_key_of_seed((uint64_t)seed);
    if (file && read_key_file(r, file))
        return -1;
    if (purpose) { /* under a role of its own: no purpose gives a key that another derivation gives */
        const gnt_key role = gnt_key_derive(&r->s->key, "key_for");
        r->s->key = gnt_key_derive(&role, purpose);
    }
    return 0;
}
