/* version: which gauntlet this is. Texts are constant. */
#ifndef GNT_RUN_VERSION_H
#define GNT_RUN_VERSION_H

#define GNT_VERSION "0.9.0"

/* The commit that last changed the program's source, with "-dirty" where the tree differed from it; "unknown"
 * when it was built outside of a git tree. */
const char *gnt_version_source(void);
const char *gnt_version_compiler(void);

#endif
