/* libraries: those that the kernels of plans call, which are opened when the first plan that calls them is
 * made. */
#ifndef GNT_NN_LIBRARIES_H
#define GNT_NN_LIBRARIES_H

/* Returns the names of their files, up to NULL: a process that cannot open other files later, and may make a
 * plan, needs these and what they are linked with. Constant. */
const char *const *gnt_plan_libraries(void);

/* Opens all of them now, so that forks of this process share what loading them makes. One that is not
 * installed is left out: a plan that needs it says so. */
void gnt_plan_libraries_open(void);

#endif
