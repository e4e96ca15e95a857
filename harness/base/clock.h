/* clock: the monotonic clock, which nobody can set. Thread: any. */
#ifndef GNT_BASE_CLOCK_H
#define GNT_BASE_CLOCK_H

/* Returns seconds since a fixed moment, the same for all processes of a machine until it restarts. */
double gnt_clock(void);

#endif
