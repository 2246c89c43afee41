// Has the disk below READONLY_FOLDER refuse every change with EROFS, as one that the kernel turned read-only after an error does,
// for the program that loads this (LD_PRELOAD), while the first byte of the file READONLY_SWITCH is not 0.
// build: cc -shared -fPIC -O2 -o readonly.so readonly.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char off;
static volatile char *on = &off;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("READONLY_FOLDER");
  const char *path = getenv("READONLY_SWITCH");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) on = page;
}

static int is_below(const char *path) { return folder && strncmp(path, folder, strlen(folder)) == 0; }

static int refuses(const char *path) {
  if (!*on || !path || !is_below(path)) return 0;
  errno = EROFS;
  return 1;
}

static int refuses_file(int file) {
  if (!*on) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return refuses(path);
}

#define SYSTEM(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
  return refuses_file(file) ? -1 : SYSTEM(write)(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return refuses_file(file) ? -1 : SYSTEM(pwrite)(file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return refuses_file(file) ? -1 : SYSTEM(pwrite64)(file, bytes, count, offset);
}
int ftruncate(int file, off_t length) { return refuses_file(file) ? -1 : SYSTEM(ftruncate)(file, length); }
int ftruncate64(int file, off64_t length) { return refuses_file(file) ? -1 : SYSTEM(ftruncate64)(file, length); }
int fchmod(int file, mode_t mode) { return refuses_file(file) ? -1 : SYSTEM(fchmod)(file, mode); }
int unlink(const char *path) { return refuses(path) ? -1 : SYSTEM(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return refuses(path) ? -1 : SYSTEM(mkdir)(path, mode); }
int rename(const char *from, const char *to) { return refuses(to) ? -1 : SYSTEM(rename)(from, to); }

#define OPEN(name)                                                                      \
  int name(const char *path, int flags, ...) {                                          \
    va_list rest;                                                                       \
    va_start(rest, flags);                                                              \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                           \
    va_end(rest);                                                                       \
    if (flags & (O_WRONLY | O_RDWR | O_CREAT) && refuses(path)) return -1;              \
    return SYSTEM(name)(path, flags, mode);                                             \
  }

OPEN(open)
OPEN(open64)
