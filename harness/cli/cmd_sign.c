/* gauntlet sign, gauntlet verify: a run folder under a signature, and what has changed since. */
#include <stdio.h>
#include <string.h>

#include <sodium/utils.h>

#include "base/json.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "seal/seal.h"

static int make_key(const char *path) {
    gnt_err err = {0};
    gnt_seal_key key;
    char hex[65];
    if (gnt_seal_key_make(path, &key, &err) != 0)
        return cli_error("sign", &err, GNT_EXIT_WRONG);
    printf("%s: the secret key; %s.pub: the public one, %s\n", path, path,
           sodium_bin2hex(hex, sizeof hex, key.public, sizeof key.public));
    gnt_seal_key_wipe(&key);
    return GNT_EXIT_OK;
}

static int sign(const char *folder, const char *key_file) {
    gnt_err err = {0};
    gnt_seal_key key;
    char hex[65];
    size_t n = 0;
    if (gnt_seal_key_read_secret(key_file, &key, &err) != 0)
        return cli_error("sign", &err, GNT_EXIT_WRONG);
    int rc = gnt_seal_sign(folder, &key, &n, &err);
    sodium_bin2hex(hex, sizeof hex, key.public, sizeof key.public);
    gnt_seal_key_wipe(&key);
    if (rc != 0)
        return cli_error("sign", &err, GNT_EXIT_FAILED);
    printf("%zu files signed with %s\n", n, hex);
    return GNT_EXIT_OK;
}

int gnt_cmd_sign(int argc, char **argv) {
    const char *key = NULL, *new_key = NULL;
    const cli_option known[] = {{.name = "key", .kind = CLI_TEXT, .to = &key},
                                {.name = "new-key", .kind = CLI_TEXT, .to = &new_key},
                                {0}};
    const cli_command command = {.name = "sign", .options = known};
    cli_words words;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (new_key && !key && words.n == 0)
        return make_key(new_key);
    if (!key || new_key || words.n != 1)
        return cli_wrong(&command, "expected a run folder and --key FILE, or --new-key FILE alone");
    return sign(words.word[0], key);
}

/* ---- verify ---- */

/* Prints one difference; paths are untrusted. */
static void print_difference(void *user, const gnt_seal_difference *d) {
    gnt_text name;
    unsigned long long size = d->size, was = d->was, at = d->offset;
    unsigned long long last = at + GNT_SEAL_BLOCK < was ? at + GNT_SEAL_BLOCK : was;
    (void)user;
    gnt_text_init(&name, 1 << 16);
    gnt_json_add_text(&name, d->path);
    const char *path = gnt_text_get(&name);
    switch (d->what) {
    case GNT_SEAL_CHANGED:
        if (d->offset == UINT64_MAX) {
            printf("changed %s\n", path);
            break;
        }
        printf("changed %s: first in bytes %llu to %llu", path, at, last ? last - 1 : 0);
        if (size != was)
            printf("; it has %llu bytes, signed were %llu", size, was);
        putchar('\n');
        break;
    case GNT_SEAL_SHORTER:
        printf("changed %s: truncated to %llu bytes, signed were %llu\n", path, size, was);
        break;
    case GNT_SEAL_LONGER:
        printf("changed %s: has %llu bytes, signed were the first %llu\n", path, size, was);
        break;
    case GNT_SEAL_MISSING:
        printf("missing %s\n", path);
        break;
    case GNT_SEAL_ADDED:
        printf("added %s\n", path);
        break;
    case GNT_SEAL_NO_FILE:
        printf("changed %s: is not a regular file\n", path);
        break;
    }
    gnt_text_free(&name);
}

static int verify(const char *folder, const char *key_file) {
    gnt_err err = {0};
    gnt_seal_key key;
    gnt_seal_verdict verdict;
    size_t n = 0;
    if (gnt_seal_key_read_public(key_file, &key, &err) != 0 ||
        gnt_seal_verify(folder, &key, &verdict, &n, print_difference, NULL, &err) != 0)
        return cli_error("verify", &err, GNT_EXIT_WRONG);
    switch (verdict) {
    case GNT_SEAL_VALID:
        printf("%zu files are unchanged since they were signed\n", n);
        return GNT_EXIT_OK;
    case GNT_SEAL_OTHER_KEY:
        printf("not signed with the key %s\n", key_file);
        break;
    case GNT_SEAL_FORGED:
        printf("signature.json: the signature is invalid: its list of files was changed\n");
        break;
    case GNT_SEAL_DIFFERS:
        break;
    }
    return GNT_EXIT_FAILED;
}

int gnt_cmd_verify(int argc, char **argv) {
    const char *key = NULL;
    const cli_option known[] = {{.name = "public", .kind = CLI_TEXT, .to = &key}, {0}};
    const cli_command command = {.name = "verify", .options = known};
    cli_words words;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (!key || words.n != 1)
        return cli_wrong(&command, "expected a run folder and --public FILE");
    return verify(words.word[0], key);
}
