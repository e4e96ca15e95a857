/* gauntlet version: shows what this program is. */
#include <stdio.h>

#include "cli/args.h"
#include "cli/cmd.h"
#include "gauntlet/plugin.h"
#include "nn/kernels/blas_core.h"
#include "run/version.h"

int gnt_cmd_version(int argc, char **argv) {
    const char *core = gnt_blas_core_choice();
    int json = 0;
    const cli_option known[] = {{.name = "json", .kind = CLI_FLAG, .to = &json}, {0}};
    const cli_command command = {.name = "version", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n)
        return cli_wrong(&command, "expected no further words");
    if (json) {
        printf("{\"version\": \"%s\", \"abi\": \"%d.%d\", \"source\": \"%s\", \"compiler\": \"%s\"}\n",
               GNT_VERSION, GNT_ABI_MAJOR, GNT_ABI_MINOR, gnt_version_source(), gnt_version_compiler());
        return GNT_EXIT_OK;
    }
    printf("gauntlet %s (plugin ABI %d.%d)\n", GNT_VERSION, GNT_ABI_MAJOR, GNT_ABI_MINOR);
    printf("source %s, compiled by %s\n", gnt_version_source(), gnt_version_compiler());
    printf("OpenBLAS core of workers: %s\n", *core ? core : "chosen by OpenBLAS");
    return GNT_EXIT_OK;
}
