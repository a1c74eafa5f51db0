#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* flock, O_TMPFILE */
#endif
#include "platform/file.h"

#include <errno.h>

#if defined(_WIN32)

int tare_file_lock(int fd) {
  (void)fd;
  return 1;
}

#else

#include <sys/file.h>

int tare_file_lock(int fd) {
  return !(flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
}

#include <fcntl.h>

#endif

#if defined(O_TMPFILE) && defined(AT_SYMLINK_FOLLOW)

#include <stdio.h>
#include <unistd.h>

/* The path at which Linux shows the open file 'fd' of this process. */
#define TARE_FD_SIZE 32
static void path_of(char *path, int fd) {
  (void)snprintf(path, TARE_FD_SIZE, "/proc/self/fd/%d", fd);
}

int tare_file_open_unnamed(const char *folder, unsigned mode) {
  char path[TARE_FD_SIZE];
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
  if (fd < 0) return -1;
  path_of(path, fd);
  if (access(path, F_OK) == 0) return fd;
  (void)close(fd); /* without /proc it could never be named */
  return -1;
}

int tare_file_name(int fd, const char *name) {
  char path[TARE_FD_SIZE];
  path_of(path, fd);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                        : errno;
}

#undef TARE_FD_SIZE

#else

int tare_file_open_unnamed(const char *folder, unsigned mode) {
  (void)folder;
  (void)mode;
  return -1;
}

int tare_file_name(int fd, const char *name) {
  (void)fd;
  (void)name;
  return ENOSYS;
}

#endif
