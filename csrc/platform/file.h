/*
** File operations beyond C for stored reports: locks, which the system releases
** when their process ends, and files without a name until they are complete, so
** that a killed process leaves nothing behind.
*/
#ifndef TARE_FILE_H
#define TARE_FILE_H

/*
** Locks the open file 'fd' for this process; a program that it starts does not
** have the lock. Returns 0 if another process (or another descriptor) has the
** lock, else 1; also 1 where the file system or the platform has no locks.
*/
int tare_file_lock(int fd);

/*
** Opens a new file without a name in a folder, for reading and writing, with
** the permissions 'mode' less the umask; -1 where that can't be had.
*/
int tare_file_open_unnamed(const char *folder, unsigned mode);

/*
** Gives the unnamed file 'fd' a name in its file system, where nothing may be
** yet. 0 or an errno.
*/
int tare_file_name(int fd, const char *name);

#endif
