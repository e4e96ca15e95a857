/* Archives made here after the format's document (PKWARE's APPNOTE, 4.3): a file in one comes in as it was
 * packed, and archives that are cut, that lie or that would fill the memory are refused. */
#include "data_files.h"

#include "data/zip.h"

enum { ROOM = 1 << 16, CONTENT = 3000, MOST = 4000 };

typedef struct archive {
    uint8_t at[ROOM];
    size_t n, file, list; /* where the packed bytes and the directory begin */
} archive;

static void add(archive *a, const void *from, size_t n) {
    assert_true(a->n + n <= ROOM);
    memcpy(a->at + a->n, from, n);
    a->n += n;
}

static void number(archive *a, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++, v >>= 8)
        add(a, (uint8_t[]){(uint8_t)v}, 1);
}

/* What the file's own header and the directory both say; method 0 is stored, 8 is deflated. */
static void add_about(archive *a, const char *name, int method, uint32_t crc, size_t packed, size_t n) {
    number(a, 20, 2);
    number(a, 0, 2);
    number(a, (uint64_t)method, 2);
    number(a, 0x21 << 16, 4); /* 1980-01-01 */
    number(a, crc, 4);
    number(a, packed, 4);
    number(a, n, 4);
    number(a, strlen(name), 2);
    number(a, 0, 2);
}

static void fill(archive *a, const char *name, int method, const uint8_t *content, size_t n) {
    static uint8_t packed[ROOM];
    const uint32_t crc = (uint32_t)crc32(0, content, (uInt)n);
    size_t size = n;
    assert_true(n <= ROOM);
    memcpy(packed, content, n);
    if (method == 8) { /* zlib's stream without its two bytes before and four after is what zip holds */
        static uint8_t whole[ROOM + 6];
        uLongf length = sizeof whole;
        assert_int_equal(compress2(whole, &length, content, n, 9), Z_OK);
        size = length - 6;
        memcpy(packed, whole + 2, size);
    }
    a->n = 0;
    number(a, 0x04034b50, 4);
    add_about(a, name, method, crc, size, n);
    add(a, name, strlen(name));
    a->file = a->n;
    add(a, packed, size);
    a->list = a->n;
    number(a, 0x02014b50, 4);
    number(a, 20, 2);
    add_about(a, name, method, crc, size, n);
    number(a, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes */
    number(a, 0, 4);             /* where the file's header is */
    add(a, name, strlen(name));
    const size_t list = a->n - a->list;
    number(a, 0x06054b50, 4);
    number(a, 0, 4); /* disks */
    number(a, 1, 2);
    number(a, 1, 2);
    number(a, list, 4);
    number(a, a->list, 4);
    number(a, 0, 2);
}

static void fill_good(archive *a, uint8_t content[CONTENT], int method) {
    for (int i = 0; i < CONTENT; i++)
        content[i] = (uint8_t)(i * i % 251);
    fill(a, "set", method, content, CONTENT);
}

static void put_archive(const archive *a, size_t n) {
    empty_folder();
    put("set.zip", a->at, n);
}

static void refused(const char *a, const char *b) {
    data_bytes out;
    gnt_err err = {{0}};
    assert_int_equal(data_zip_open(&out, folder, "set", MOST, &err), -1);
    assert_null(out.at);
    if (!strstr(err.text, "set.zip: ") || !strstr(err.text, a) || !strstr(err.text, b))
        fail_msg("\"%s\" lacks \"set.zip: \", \"%s\" or \"%s\"", err.text, a, b);
}

static void expect(const char *path_end, const uint8_t *content, size_t n) {
    data_bytes out;
    gnt_err err = {{0}};
    if (data_zip_open(&out, folder, "set", MOST, &err))
        fail_msg("%s", err.text);
    assert_string_equal(out.path + strlen(folder) + 1, path_end);
    assert_int_equal(out.size, n);
    assert_memory_equal(out.at, content, n);
    data_bytes_free(&out);
}

static void reads_stored_and_deflated(void **state) {
    (void)state;
    static archive a;
    uint8_t content[CONTENT];
    for (int method = 0; method <= 8; method += 8) {
        fill_good(&a, content, method);
        put_archive(&a, a.n);
        expect("set.zip", content, CONTENT);
    }
    /* the file itself comes first, then .gz */
    put_gz("set.gz", content, 10);
    expect("set.gz", content, 10);
    put("set", content, 20);
    expect("set", content, 20);
}

static void cut_anywhere(void **state) {
    (void)state;
    static archive a;
    uint8_t content[CONTENT];
    fill_good(&a, content, 8);
    put_archive(&a, 0);
    refused("there is no file called set in it", "");
    for (size_t n = 1; n < a.n; n++) {
        put_archive(&a, n);
        refused("is no zip archive, or was cut short", "fetch the file again");
    }
}

static void lies_and_bombs(void **state) {
    (void)state;
    static archive a;
    static uint8_t zeros[60000];
    uint8_t content[CONTENT];
    fill(&a, "other", 8, zeros, 10);
    put_archive(&a, a.n);
    refused("there is no file called set in it", "");
    fill(&a, "set", 8, zeros, sizeof zeros);
    put_archive(&a, a.n);
    refused("set unpacks to more than the 4000 bytes", "");
    fill(&a, "set", 8, zeros, MOST + 1);
    put_archive(&a, a.n);
    refused("set unpacks to more than the 4000 bytes", "");
    fill(&a, "set", 8, zeros, MOST);
    put_archive(&a, a.n);
    expect("set.zip", zeros, MOST);
    /* a byte of the content is another: the checksum shows it */
    fill_good(&a, content, 0);
    a.at[a.file + 100] ^= 1;
    put_archive(&a, a.n);
    refused("set cannot be unpacked beyond offset", "fetch the file again");
    fill_good(&a, content, 8);
    memset(a.at + a.file + 40, 0xff, 100);
    put_archive(&a, a.n);
    refused("set cannot be unpacked beyond offset", "fetch the file again");
    fill_good(&a, content, 8);
    a.at[8] = a.at[a.list + 10] = 77;
    put_archive(&a, a.n);
    refused("set in it cannot be opened", "packed in a way");
    put_archive(&a, 0);
    char path[512];
    in_folder(path, sizeof path, "set.zip");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    data_bytes out;
    gnt_err err = {{0}};
    assert_int_equal(data_zip_open(&out, folder, "set", MOST, &err), -1);
}

/* Whatever one changed byte does, the bytes that come in are those that were packed. */
static void a_changed_byte_is_seen(void **state) {
    (void)state;
    static archive a, changed;
    int refusals = 0;
    fill(&a, "set", 8, (const uint8_t *)"a,b,c\n1,2,3\n", 12);
    for (size_t i = 0; i < a.n; i++) {
        data_bytes out;
        gnt_err err = {{0}};
        changed = a;
        changed.at[i] ^= 0x55;
        put_archive(&changed, a.n);
        if (data_zip_open(&out, folder, "set", MOST, &err)) {
            assert_true(strlen(err.text) > 20);
            refusals++;
            continue;
        }
        assert_int_equal(out.size, 12);
        assert_memory_equal(out.at, "a,b,c\n1,2,3\n", 12);
        data_bytes_free(&out);
    }
    assert_true(refusals > 40);
}

static int without_libzip(void) {
    static archive a;
    uint8_t content[CONTENT];
    data_bytes out;
    gnt_err err = {{0}};
    fill_good(&a, content, 0);
    put_archive(&a, a.n);
    if (data_zip_open(&out, folder, "set", MOST, &err))
        return strstr(err.text, "install libzip") != NULL;
    data_bytes_free(&out);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_stored_and_deflated),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(lies_and_bombs),
        cmocka_unit_test(a_changed_byte_is_seen),
    };
    make_folder(NULL);
    int skips = without_libzip();
    remove_folder(NULL);
    if (skips) {
        printf("skip: libzip is not there\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
