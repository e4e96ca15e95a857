/* must_work: a call of the house that the test cannot go on without. Include it after cmocka. */
#ifndef GNT_TESTS_MUST_WORK_H
#define GNT_TESTS_MUST_WORK_H

#include "base/err.h"

/* The call, which may name `err`, returns 0; else the test fails with what it said. */
#define MUST_WORK(call)                                                                                      \
    do {                                                                                                     \
        gnt_err err_ = {0}, *err = &err_;                                                                    \
        if ((call) != 0)                                                                                     \
            fail_msg("%s: %s", #call, err_.text);                                                            \
    } while (0)

#endif
