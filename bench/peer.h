/* peer: a process that answers requests, line by line. */
#ifndef GNT_BENCH_PEER_H
#define GNT_BENCH_PEER_H

#include <stdio.h>
#include <sys/types.h>

typedef struct peer {
    pid_t pid; /* 0: none, or it ended */
    FILE *to, *from;
    char version[64]; /* the text after "ready", or "" */
} peer;

/* Starts the program of argv and waits for its line "ready", or "ready VERSION". Returns −1 if it does not
 * come; the peer is then closed. */
int peer_open(peer *p, char *const argv[]);
/* Sends a line and reads n numbers. Returns −1 if they do not come; the peer is then closed. */
int peer_request(peer *p, const char *request, double *numbers, int n);
void peer_close(peer *p);

/* Runs a program to its end, its words thrown away: wall seconds, and peak bytes of the largest of its
 * processes. Returns its exit code, −1 when it ended otherwise. */
int peer_time(char *const argv[], double *wall, double *peak);

#endif
