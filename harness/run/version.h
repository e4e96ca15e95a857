/* version: the version of gauntlet. Texts are constant. */
#ifndef GNT_RUN_VERSION_H
#define GNT_RUN_VERSION_H

#define GNT_VERSION "0.9.0"

/* Returns the commit that last changed the program's source, with "-dirty" if the tree differed from it;
 * "unknown" if it was built outside of a git tree. */
const char *gnt_version_source(void);
const char *gnt_version_compiler(void);

#endif
