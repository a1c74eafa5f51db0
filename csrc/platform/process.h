/*
** Processes of a run: the link that carries requests to a worker, and fork.
**
** A launch is a process that has loaded the bench files. It holds one end of a
** socket, the conductor the other. For each worker it makes another socket,
** forks, and hands the conductor's end of it over (SCM_RIGHTS); the child keeps
** the other end, under the same descriptor as the launch has for its own link,
** so that both use their link in the same way. Windows has no fork: there a
** launch becomes the worker itself.
*/
#ifndef TARE_PROCESS_H
#define TARE_PROCESS_H

#include <stddef.h>

enum { TARE_LINE = 256 }; /* bytes that a request has at most */

typedef struct tare_link {
  int fd;
  size_t begin, end; /* of what was received and not yet taken */
  char buffer[4096];
} tare_link;

/* Makes 'k' the link over descriptor 'fd', which is made to block. */
void tare_link_init(tare_link *k, int fd);

/*
** Reads the next line, without its end; it stays valid until the next call.
** NULL if the other side has closed, or more than TARE_LINE bytes came without
** an end.
*/
const char *tare_link_line(tare_link *k, size_t *length);

/* Takes exactly 'n' bytes; false if the other side has closed before. */
int tare_link_take(tare_link *k, char *to, size_t n);

/* Sends all of it, unless the other side has closed. Raises no signal. */
void tare_link_send(tare_link *k, const char *text, size_t n);

/* Whether this system can fork workers. */
int tare_can_fork(void);

/*
** Forks. Returns 0 in the child, which leads a process group of its own, and
** where 'k' is now a link to the conductor over a socket of its own. Returns
** the child's number in the parent, which has sent the line {"worker":NUMBER}
** with the conductor's end of that socket. Returns -1, with errno set, if the
** system refuses.
*/
long tare_fork_worker(tare_link *k);

/*
** For a process that has freed much memory and is about to fork. glibc joins
** small free blocks only when it needs a large one, so each child would do so for
** all of them, and copy the pages that they are on. Joins them now, and gives
** free pages back to the system. Elsewhere it does nothing.
*/
void tare_join_free_memory(void);

/* How a child ended: 'code', or the number of a signal. */
typedef struct tare_ending {
  int code, signal;
} tare_ending;

/*
** Waits for the end of a child that leads a process group, for at most 'ms'
** milliseconds; after that it is killed, and with it what is left of its group.
** False where there is no such child.
*/
int tare_reap(long pid, double ms, tare_ending *ending);

/* Asks the system to kill this process when its parent ends, if it can. */
void tare_die_with_parent(void);

#endif
