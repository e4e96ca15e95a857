/* suite_env: what suites are read against in tests, the plugins of fake_plugins.h. For tests that have
 * included cmocka. */
#ifndef TESTS_SUITE_ENV_H
#define TESTS_SUITE_ENV_H

#include <string.h>

#include "fake_plugins.h"
#include "suite/suite.h"

static gnt_plugin_list plugins;
static gnt_suite_env env = {.plugins = &plugins};

static inline int open_plugins(void **state) {
    (void)state;
    gnt_err err = {0};
    return fake_plugins(&plugins, &err);
}

static inline int close_plugins(void **state) {
    (void)state;
    gnt_plugin_list_free(&plugins);
    return 0;
}

/* Reads a suite as from a file in tests/cases. Returns 0, or −1 with a sentence. */
static inline int parse_suite(gnt_suite *s, const char *text, gnt_err *err) {
    return gnt_suite_parse(s, "tests/cases/suite.json", text, strlen(text), &env, err);
}

/* Reads a suite that is right. */
static inline void take_suite(gnt_suite *s, const char *text) {
    gnt_err err = {0};
    if (parse_suite(s, text, &err) != 0)
        fail_msg("%s", err.text);
}

#endif
