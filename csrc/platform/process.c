#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* CMSG_SPACE, nanosleep, prctl */
#endif
#include "platform/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/clock.h"

#if defined(_WIN32)
#include <io.h>
#define read(fd, to, n) _read(fd, to, (unsigned)(n))
#else
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

void tare_link_init(tare_link *k, int fd) {
  memset(k, 0, sizeof *k);
  k->fd = fd;
#if !defined(_WIN32)
  {
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* not for a bench's children */
#if defined(SO_NOSIGPIPE)                 /* macOS, which has no MSG_NOSIGNAL */
    {
      int yes = 1;
      (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    }
#endif
  }
#endif
}

/* Receives more bytes after those in the buffer; false at the end. */
static int refill(tare_link *k) {
  long got;
  if (k->begin > 0) {
    memmove(k->buffer, k->buffer + k->begin, k->end - k->begin);
    k->end -= k->begin;
    k->begin = 0;
  }
  if (k->end == sizeof k->buffer) return 0;
  do {
    got = (long)read(k->fd, k->buffer + k->end, sizeof k->buffer - k->end);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return 0;
  k->end += (size_t)got;
  return 1;
}

const char *tare_link_line(tare_link *k, size_t *length) {
  for (;;) {
    const char *start = k->buffer + k->begin;
    const char *stop = (const char *)memchr(start, '\n', k->end - k->begin);
    if (stop != NULL) {
      *length = (size_t)(stop - start);
      k->begin += *length + 1;
      return start;
    }
    if (k->end - k->begin > TARE_LINE || !refill(k)) return NULL;
  }
}

int tare_link_take(tare_link *k, char *to, size_t n) {
  while (n > 0) {
    size_t have = k->end - k->begin;
    if (have == 0) {
      if (!refill(k)) return 0;
      continue;
    }
    if (have > n) have = n;
    memcpy(to, k->buffer + k->begin, have);
    k->begin += have;
    to += have;
    n -= have;
  }
  return 1;
}

#if defined(_WIN32)

void tare_link_send(tare_link *k, const char *text, size_t n) {
  while (n > 0) {
    int sent = _write(k->fd, text, (unsigned)n);
    if (sent <= 0) return;
    text += sent;
    n -= (size_t)sent;
  }
}

int tare_can_fork(void) {
  return 0;
}

void tare_join_free_memory(void) {
}

long tare_fork_worker(tare_link *k) {
  (void)k;
  errno = ENOSYS;
  return -1;
}

int tare_reap(long pid, double ms, tare_ending *ending) {
  (void)pid;
  (void)ms;
  (void)ending;
  return 0;
}

void tare_die_with_parent(void) {
}

#else

#if !defined(MSG_NOSIGNAL) /* macOS: see SO_NOSIGPIPE above */
#define MSG_NOSIGNAL 0
#endif

void tare_link_send(tare_link *k, const char *text, size_t n) {
  while (n > 0) {
    ssize_t sent = send(k->fd, text, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    text += sent;
    n -= (size_t)sent;
  }
}

int tare_can_fork(void) {
  return 1;
}

/* Sends a line, and a descriptor with it. */
static int send_with(int fd, const char *line, int passed) {
  union {
    struct cmsghdr header; /* for its alignment */
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  struct iovec part;
  struct cmsghdr *head;
  ssize_t sent;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  part.iov_base = (void *)line;
  part.iov_len = strlen(line);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &passed, sizeof passed);
  do {
    sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)part.iov_len;
}

/*
** The child's side: its socket gets the descriptor of the launch's, and what it
** starts is in a group of its own.
*/
static void become_worker(tare_link *k, int own) {
  int fd = k->fd;
  (void)setpgid(0, 0);
  (void)dup2(own, fd);
  (void)close(own);
  tare_link_init(k, fd);
  tare_die_with_parent();
}

void tare_join_free_memory(void) {
#if defined(__GLIBC__)
  (void)malloc_trim(0);
#endif
}

long tare_fork_worker(tare_link *k) {
  int pair[2];
  char line[64];
  pid_t child;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
  (void)fflush(NULL); /* or the child writes buffered output again */
  child = fork();
  if (child == 0) {
    (void)close(pair[0]);
    become_worker(k, pair[1]);
    return 0;
  }
  (void)close(pair[1]);
  if (child > 0) {
    (void)setpgid(child, child); /* whichever of the two runs first */
    (void)snprintf(line, sizeof line, "{\"worker\":%ld}\n", (long)child);
    (void)send_with(k->fd, line, pair[0]);
  }
  (void)close(pair[0]);
  return (long)child;
}

int tare_reap(long pid, double ms, tare_ending *ending) {
  int status = 0, killed = 0;
  tare_clock clock = tare_clock_wall();
  uint64_t from = tare_now(&clock);
  memset(ending, 0, sizeof *ending);
  for (;;) {
    static const struct timespec pause = {0, 100000};
    siginfo_t info;
    int way = WEXITED | WNOWAIT | (killed ? 0 : WNOHANG);
    info.si_pid = 0; /* stays so where it still runs */
    if (waitid(P_PID, (id_t)pid, &info, way) != 0) {
      if (errno != EINTR) return 0;
    } else if (info.si_pid != 0) {
      break;
    } else if (tare_elapsed_ns(from, tare_now(&clock)) >= ms * 1e6) {
      (void)kill((pid_t)pid, SIGKILL);
      killed = 1;
    } else {
      (void)nanosleep(&pause, NULL);
    }
  }
  /* Before it is reaped, since its number may then be that of another group. */
  (void)kill(-(pid_t)pid, SIGKILL);
  while (waitpid((pid_t)pid, &status, 0) < 0)
    if (errno != EINTR) return 0;
  if (WIFSIGNALED(status))
    ending->signal = WTERMSIG(status);
  else
    ending->code = WEXITSTATUS(status);
  return 1;
}

void tare_die_with_parent(void) {
#if defined(__linux__)
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

#endif
