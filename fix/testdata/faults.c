/* A layer below SQLite: it counts the calls that change files below a folder called "copy", notes each in a log, and
   makes one of them fail, or ends the process there. Loaded into a child of the tests with LD_PRELOAD. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int count;

static int ours(int fd, const char *path) {
	char name[64], buf[4096];
	if (path == NULL) {
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(name, buf, sizeof buf - 1);
		if (n < 0) return 0;
		buf[n] = 0;
		path = buf;
	}
	return strstr(path, "/copy/") != NULL && strstr(path, "-shm") == NULL;
}

/* 0 = go on, 1 = half of it and then die, -1 = fail with errno. */
static int hit(const char *op, int fd, const char *path) {
	if (!ours(fd, path)) return 0;
	count++;
	const char *log = getenv("SQLITE_FAULT_LOG"), *at = getenv("SQLITE_FAULT_AT"), *how = getenv("SQLITE_FAULT_HOW");
	if (log != NULL) {
		int out = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
		syscall(SYS_write, out, op, strlen(op));
		syscall(SYS_write, out, "\n", 1);
		syscall(SYS_close, out);
	}
	if (at == NULL || how == NULL || atoi(at) != count) return 0;
	if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
	if (strcmp(how, "half") == 0) return 1;
	errno = strcmp(how, "ENOSPC") == 0 ? ENOSPC : EIO;
	return -1;
}

ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) {
	int h = hit("write", fd, NULL);
	if (h < 0) return -1;
	if (h > 0) { syscall(SYS_pwrite64, fd, b, n / 2, at); kill(getpid(), SIGKILL); }
	return syscall(SYS_pwrite64, fd, b, n, at);
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) { return pwrite64(fd, b, n, at); }
ssize_t write(int fd, const void *b, size_t n) {
	int h = hit("write", fd, NULL);
	if (h < 0) return -1;
	if (h > 0) { syscall(SYS_write, fd, b, n / 2); kill(getpid(), SIGKILL); }
	return syscall(SYS_write, fd, b, n);
}
int fsync(int fd) { return hit("fsync", fd, NULL) ? -1 : syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return hit("fsync", fd, NULL) ? -1 : syscall(SYS_fdatasync, fd); }
int ftruncate64(int fd, off64_t n) { return hit("truncate", fd, NULL) ? -1 : syscall(SYS_ftruncate, fd, n); }
int ftruncate(int fd, off_t n) { return ftruncate64(fd, n); }
int unlink(const char *path) { return hit("unlink", -1, path) ? -1 : syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
