// Has the system tell the program that loads it (LD_PRELOAD) no owner of a socket: no netlink, and with NO_USER_TABLES=1 no table of
// /proc/net either. build: cc -shared -fPIC -O2 -o no_users.so no_users.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int socket(int family, int type, int protocol) {
  int (*system_socket)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  if (family == AF_NETLINK) return errno = EPERM, -1;
  return system_socket(family, type, protocol);
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  int (*system_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  if (getenv("NO_USER_TABLES") && strncmp(path, "/proc/net/tcp", 13) == 0) return errno = EACCES, -1;
  return system_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened("open64", path, flags, mode);
}
