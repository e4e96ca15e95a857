/* memory_limit: the memory that a process may have. Thread: any. */
#ifndef GNT_BASE_MEMORY_LIMIT_H
#define GNT_BASE_MEMORY_LIMIT_H

/* Returns the bytes of memory that this process and its children may have: the machine's, or fewer if a
 * control group limits them. root: "/", or a folder in its place; INFINITY if it says nothing. */
double gnt_memory_limit(const char *root);

#endif
