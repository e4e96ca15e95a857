/* Runs a harness on kept inputs: every argument is a file, or a folder whose files are meant, in the order of
 * their names. Prints how many there were; whatever goes wrong ends the process, and the last line on
 * standard error names the input. */
#include <dirent.h>

#include "fuzz.h"

static size_t inputs;

static void run_file(const char *path) {
    uint8_t *bytes;
    size_t size;
    gnt_err err = {0};
    if (gnt_file_read(path, (size_t)1 << 30, &bytes, &size, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    fprintf(stderr, "%s\n", path);
    uint8_t *exact =
        malloc(size ? size : 1); /* no zero after the end: a sanitizer sees the first byte beyond */
    MUST(exact);
    memcpy(exact, bytes, size);
    gnt_free(bytes);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    inputs++;
}

static void run_folder(const char *path) {
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    MUST(n >= 0);
    for (int i = 0; i < n; i++) {
        char *inner = gnt_format("%s/%s", path, names[i]->d_name);
        struct stat st;
        MUST(inner);
        if (stat(inner, &st) == 0 && S_ISREG(st.st_mode))
            run_file(inner);
        gnt_free(inner);
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
            run_folder(argv[i]);
        else
            run_file(argv[i]);
    }
    printf("%zu inputs\n", inputs);
    return 0;
}
