/* signature.json, next to two files. Input: a byte, signature.json, a line "%%", the second file. With the
 * byte's lowest bit the text is the manifest alone, which is then signed with the right key, so that what
 * follows the check is reached. */
#include <sodium.h>

#include "fuzz.h"
#include "seal/seal.h"

static void count(void *user, const gnt_seal_difference *d) {
    MUST(d->path);
    ++*(size_t *)user;
}

static void sign(fuzz_bytes text, const gnt_seal_key *key) {
    uint8_t signature[crypto_sign_BYTES];
    char hex[2 * sizeof signature + 1], public[65];
    json_t *manifest = json_loadb((const char *)text.at, text.left, JSON_REJECT_DUPLICATES, NULL);
    char *canonical = manifest ? gnt_json_canonical(manifest) : NULL;
    char *message = gnt_format("gauntlet run 1\n%s", canonical ? canonical : "");
    MUST(message);
    crypto_sign_detached(signature, NULL, (const uint8_t *)message, strlen(message), key->secret);
    sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    sodium_bin2hex(public, sizeof public, key->public, sizeof key->public);
    char *all = gnt_format("{\"format\": 1, \"public_key\": \"%s\", \"signature\": \"%s\", \"manifest\": %s}",
                           public, hex, canonical ? canonical : "{}");
    MUST(all);
    fuzz_file("run/signature.json", (fuzz_bytes){(const uint8_t *)all, strlen(all)});
    gnt_free(all);
    gnt_free(message);
    gnt_free(canonical);
    json_decref(manifest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t seed[crypto_sign_SEEDBYTES] = {7}, plain[] = "{}\n";
    char run[512];
    fuzz_bytes all = {data, size};
    const uint8_t how = fuzz_byte(&all);
    fuzz_bytes text = fuzz_text(&all);
    gnt_seal_key key;
    gnt_seal_verdict verdict;
    size_t files = 0, differences = 0;
    gnt_err err = {0};
    MUST(sodium_init() >= 0);
    crypto_sign_seed_keypair(key.public, key.secret, seed);
    fuzz_subfolder("run");
    fuzz_file("run/a.json", (fuzz_bytes){plain, sizeof plain - 1});
    fuzz_file("run/b", all);
    if (how & 1)
        sign(text, &key);
    else
        fuzz_file("run/signature.json", text);
    if (fuzz_ok(gnt_seal_verify(fuzz_path(run, "run"), &key, &verdict, &files, count, &differences, &err),
                &err)) {
        MUST((verdict == GNT_SEAL_DIFFERS) == (differences > 0));
        MUST(how & 1 ? verdict <= GNT_SEAL_DIFFERS : verdict != GNT_SEAL_VALID || files > 0);
    }
    return 0;
}
