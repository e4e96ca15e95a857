/* absolute: paths that a person gave, as they are to be opened by processes with another working folder. */
#ifndef GNT_CLI_ABSOLUTE_H
#define GNT_CLI_ABSOLUTE_H

/* Returns the path behind the working folder, or as it is: if it is NULL, empty or absolute, or if the
 * working folder has no name. It stays valid until the program ends. */
const char *cli_absolute(const char *path);
/* Gives the variables of the environment that name folders (GAUNTLET_DATA, TMPDIR) absolute values. */
void cli_absolute_variables(void);
/* Returns the folder of data files that GAUNTLET_DATA names; NULL: none. */
const char *cli_data_folder(void);

#endif
