/* Parameters of a plugin, from the JSON of a suite. What is accepted is read again from its canonical text to
 * the same. */
#include <math.h>

#include "fuzz.h"
#include "plugin/params.h"

static const char *const norms[] = {"l2", "max", NULL};
static const gnt_parameter table[] = {
    {.id = "sigma",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 10,
     .preset = 0.1,
     .preset_text = "",
     .strength = 1,
     .help = ""},
    {.id = "steps",
     .type = GNT_TYPE_INT,
     .unit = "",
     .least = -3,
     .most = 1e9,
     .preset = 5,
     .preset_text = "",
     .help = ""},
    {.id = "norm", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = "l2", .choices = norms, .help = ""},
    {.id = "adaptive", .type = GNT_TYPE_BOOL, .unit = "", .preset_text = "", .help = ""},
    {.id = "note", .type = GNT_TYPE_TEXT, .unit = "", .preset_text = "as it is", .help = ""},
    {.id = "schedule",
     .type = GNT_TYPE_REAL_LIST,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset_text = "[0.5]",
     .help = ""},
    {.id = "layers",
     .type = GNT_TYPE_INT_LIST,
     .unit = "",
     .least = 0,
     .most = 9,
     .preset_text = "[]",
     .help = ""},
    {.id = "judge", .type = GNT_TYPE_MODEL, .unit = "", .preset_text = "", .help = ""}};
enum { ROWS = sizeof table / sizeof *table };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *json = fuzz_string((fuzz_bytes){data, size});
    gnt_params p, copy;
    gnt_err err = {0};
    if (fuzz_ok(gnt_params_parse(&p, table, ROWS, "input", json, &err), &err)) {
        char *text = gnt_params_canonical(&p);
        MUST(text && p.n == ROWS);
        MUST(p.value[0].r >= 1e-6 && p.value[0].r <= 10);
        MUST(gnt_params_parse(&copy, table, ROWS, "canonical", text, &err) == 0);
        char *twice = gnt_params_canonical(&copy);
        MUST(twice && strcmp(text, twice) == 0);
        gnt_free(twice);
        gnt_params_free(&copy);
        MUST(gnt_params_copy(&copy, &p, &err) == 0);
        fuzz_ok(gnt_params_set_strength(&copy, table, ROWS, p.value[1].r * 1e-3, "input", &err), &err);
        gnt_params_free(&copy);
        gnt_free(text);
        gnt_params_free(&p);
    }
    gnt_free(json);
    return 0;
}
