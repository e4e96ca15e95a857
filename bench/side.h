/* side: the memory of a side's process. */
#ifndef GNT_BENCH_SIDE_H
#define GNT_BENCH_SIDE_H

/* Resets the peak of resident memory. */
void bench_forget_peak(void);
/* Returns the peak since then, in bytes. */
double bench_peak(void);

#endif
