// Linux system calls that Glibc's Swift module leaves out.
//
// _GNU_SOURCE must stay undefined: it changes glibc's structures, and Swift refuses two shapes of one type.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// accept4(2) hides behind _GNU_SOURCE.
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags);

/// So does pthread_setname_np(3); a name of at most 15 bytes is what `top -H` shows.
#include <pthread.h>
int pthread_setname_np(pthread_t thread, const char *name);

/// openat2(2) has no glibc wrapper; RESOLVE_BENEATH keeps a served path inside its root.
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>
static inline int clinux_openat2(int root, const char *path, int flags, unsigned long long resolve) {
  struct open_how how = {0};
  how.flags = (unsigned long long)flags;
  how.resolve = resolve;
  return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/// malloc_trim(3) gives unused memory back, so that what is measured is what is held.
#include <malloc.h>

/// One arena a processor (mallopt(3)): each keeps what its threads once needed, and eight a processor, which is glibc's own bound, hold more memory
/// than they save time. To be called before threads are made.
static inline void clinux_limit_arenas(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  mallopt(M_ARENA_MAX, processors > 2 ? (int)processors : 2);
}

/// So do memfd_create(2) and fallocate(2), which gives back a part of a file.
#include <linux/falloc.h>
#include <sys/sendfile.h>
static inline int clinux_memfd(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }
static inline int clinux_punch_hole(int file, off_t start, off_t length) {
  return (int)syscall(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, length);
}

/// prctl(2) is variadic, which Swift cannot call: neither dumps nor debuggers of this user see the process's memory (PR_SET_DUMPABLE).
#include <sys/prctl.h>
#include <sys/resource.h>
static inline int clinux_forbid_dumps(void) {
  struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
