/* colour: red text on terminals, unless the variable NO_COLOR is set to something (no-color.org). */
#ifndef GNT_BASE_COLOUR_H
#define GNT_BASE_COLOUR_H

/* Returns what begins red text on this descriptor; "" if it is no terminal, or colours are not wanted. */
const char *gnt_red(int fd);
/* Returns what ends it; "" where gnt_red does. */
const char *gnt_not_red(int fd);

#endif
