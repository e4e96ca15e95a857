/* cache_folder: where a user's programs keep what they can compute again. */
#ifndef GNT_BASE_CACHE_FOLDER_H
#define GNT_BASE_CACHE_FOLDER_H

/* Returns $XDG_CACHE_HOME/gauntlet/OF, or $HOME/.cache/gauntlet/OF; NULL if neither is set. The caller
 * frees. */
char *gnt_cache_folder(const char *of);

#endif
