// Makes the system calls of a program fail by a seeded schedule: LD_PRELOAD this, with FAULTS_CONTROL naming a file of
// `struct control`, which whoever drives the program maps as well. Nothing fails until `per_mille` is set.
// build: cc -shared -fPIC -O2 -o faults.so faults.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The order is that of KINDS in Tests/Outside/fault_schedule.py.
enum kind {
  INTERRUPTED,  // EINTR: sockets, epoll_wait, files, close
  AGAIN,        // EAGAIN of a socket that is ready
  SHORT,        // less is taken or given than there was
  NO_BUFFERS,   // ENOBUFS of a socket
  NO_MEMORY,    // ENOMEM of a socket
  NO_ACCEPT,    // ENOBUFS and ENOMEM of accept4
  ABORTED,      // ECONNABORTED of accept4
  NO_FILES,     // EMFILE and ENFILE of accept4 and of opening
  BROKEN,       // ECONNRESET and EPIPE
  BAD_DISK,     // EIO of a read, ENOMEM of a look at a file
  NO_WATCH,     // ENOMEM of epoll_ctl for a new socket
  KINDS
};

struct control {
  _Atomic uint32_t per_mille;         // how many of a thousand calls fail
  _Atomic uint32_t mask;              // by which kinds: bit 1 << kind
  uint64_t seed;
  _Atomic uint64_t calls;             // so many could have failed
  _Atomic uint64_t injected[KINDS];
};

static struct control *control;

// What would have been called. A call may come before the constructor, from another library's.
static void *found(void *_Atomic *kept, const char *name) {
  void *function = atomic_load_explicit(kept, memory_order_relaxed);
  if (!function) atomic_store_explicit(kept, function = dlsym(RTLD_NEXT, name), memory_order_relaxed);
  return function;
}
#define REAL(name) ({ static void *_Atomic kept; (__typeof__(name) *)found(&kept, #name); })

__attribute__((constructor)) static void map_control(void) {
  const char *path = getenv("FAULTS_CONTROL");
  int file = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REAL(close)(file);
  if (memory != MAP_FAILED) control = memory;
}

static uint64_t mixed(uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

static __thread uint64_t dice;     // of the latest call
static __thread unsigned storm;    // so many more calls of this thread are interrupted

static int counted(enum kind kind) {
  atomic_fetch_add_explicit(&control->injected[kind], 1, memory_order_relaxed);
  return kind;
}

// Which of the kinds (bits) befalls this call; -1 for none.
static int chosen(unsigned kinds) {
  if (!control) return -1;
  unsigned per_mille = atomic_load_explicit(&control->per_mille, memory_order_relaxed);
  kinds &= atomic_load_explicit(&control->mask, memory_order_relaxed);
  if (per_mille == 0) storm = 0;
  if (per_mille == 0 || kinds == 0) return -1;
  dice = mixed(control->seed + mixed(atomic_fetch_add_explicit(&control->calls, 1, memory_order_relaxed)));
  if (storm > 0 && kinds & 1u << INTERRUPTED) {
    storm -= 1;
    return counted(INTERRUPTED);
  }
  if (dice % 1000 >= per_mille) return -1;
  unsigned at = (unsigned)(dice >> 16) % (unsigned)__builtin_popcount(kinds);
  for (int kind = 0; kind < KINDS; kind++) {
    if (!(kinds & 1u << kind) || at-- != 0) continue;
    // Now and then a signal comes after the other.
    if (kind == INTERRUPTED && (dice >> 40) % 8 == 0) storm = (unsigned)(dice >> 44) % 50;
    return counted((enum kind)kind);
  }
  return -1;
}

static int failed(int code) {
  errno = code;
  return -1;
}

static int is_coin(void) { return (int)(dice >> 8 & 1); }

static int is_socket(int file) {
  int type, before = errno;
  socklen_t length = sizeof type;
  int result = getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &length);
  errno = before;
  return result == 0;
}

// A length from 1 to one less than all.
static size_t part(size_t length) { return length < 2 ? length : 1 + (size_t)(dice >> 20) % (length - 1); }

#define BIT(kind) (1u << (kind))
#define SOCKET_KINDS (BIT(INTERRUPTED) | BIT(AGAIN) | BIT(SHORT) | BIT(NO_BUFFERS) | BIT(NO_MEMORY) | BIT(BROKEN))

// What befalls a socket's call: the error, or 0 with `length` as it is or shortened.
static int socket_fault(size_t *length, int broken) {
  switch (chosen(SOCKET_KINDS)) {
    case INTERRUPTED: return EINTR;
    case AGAIN: return EAGAIN;
    case NO_BUFFERS: return ENOBUFS;
    case NO_MEMORY: return ENOMEM;
    case BROKEN: return broken;
    case SHORT: *length = part(*length);
    default: return 0;
  }
}

ssize_t recv(int file, void *bytes, size_t length, int flags) {
  int code = socket_fault(&length, ECONNRESET);
  return code ? failed(code) : REAL(recv)(file, bytes, length, flags);
}

ssize_t send(int file, const void *bytes, size_t length, int flags) {
  int code = socket_fault(&length, EPIPE);
  return code ? failed(code) : REAL(send)(file, bytes, length, flags);
}

ssize_t read(int file, void *bytes, size_t length) {
  if (!control || !is_socket(file)) return REAL(read)(file, bytes, length);
  int code = socket_fault(&length, ECONNRESET);
  return code ? failed(code) : REAL(read)(file, bytes, length);
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (!control) return REAL(write)(file, bytes, length);
  if (is_socket(file)) {
    int code = socket_fault(&length, EPIPE);
    if (code) return failed(code);
  } else if (length == 8 && chosen(BIT(INTERRUPTED)) >= 0) {
    return failed(EINTR);  // an eventfd
  }
  return REAL(write)(file, bytes, length);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  size_t all = 0;
  for (size_t index = 0; index < message->msg_iovlen; index++) all += message->msg_iov[index].iov_len;
  size_t length = all;
  int code = socket_fault(&length, EPIPE);
  if (code) return failed(code);
  if (length == all || message->msg_iovlen > 64) return REAL(sendmsg)(file, message, flags);
  struct iovec vectors[64];
  struct msghdr shorter = *message;
  shorter.msg_iov = vectors;
  shorter.msg_iovlen = 0;
  for (size_t left = length; left > 0; shorter.msg_iovlen++) {
    struct iovec *vector = &vectors[shorter.msg_iovlen];
    *vector = message->msg_iov[shorter.msg_iovlen];
    if (vector->iov_len > left) vector->iov_len = left;
    left -= vector->iov_len;
  }
  return REAL(sendmsg)(file, &shorter, flags);
}

ssize_t sendfile(int target, int file, off_t *offset, size_t length) {
  int code = socket_fault(&length, EPIPE);
  return code ? failed(code) : REAL(sendfile)(target, file, offset, length);
}

int accept4(int file, struct sockaddr *address, socklen_t *length, int flags) {
  switch (chosen(BIT(INTERRUPTED) | BIT(AGAIN) | BIT(NO_ACCEPT) | BIT(ABORTED) | BIT(NO_FILES))) {
    case INTERRUPTED: return failed(EINTR);
    case AGAIN: return failed(EAGAIN);
    case NO_ACCEPT: return failed(is_coin() ? ENOBUFS : ENOMEM);
    case ABORTED: return failed(ECONNABORTED);
    case NO_FILES: return failed(is_coin() ? EMFILE : ENFILE);
    default: return REAL(accept4)(file, address, length, flags);
  }
}

int epoll_wait(int file, struct epoll_event *events, int capacity, int milliseconds) {
  if (chosen(BIT(INTERRUPTED)) >= 0) return failed(EINTR);
  return REAL(epoll_wait)(file, events, capacity, milliseconds);
}

int epoll_ctl(int file, int operation, int target, struct epoll_event *event) {
  if (operation == EPOLL_CTL_ADD && is_socket(target) && chosen(BIT(NO_WATCH)) >= 0) return failed(ENOMEM);
  return REAL(epoll_ctl)(file, operation, target, event);
}

static int open_fault(void) {
  switch (chosen(BIT(INTERRUPTED) | BIT(NO_FILES) | BIT(BAD_DISK))) {
    case INTERRUPTED: return EINTR;
    case NO_FILES: return is_coin() ? EMFILE : ENFILE;
    case BAD_DISK: return ENOMEM;
    default: return 0;
  }
}

// openat2 has no function of its own.
long syscall(long number, ...) {
  va_list list;
  long a[6];
  va_start(list, number);
  for (int index = 0; index < 6; index++) a[index] = va_arg(list, long);
  va_end(list);
  int code = number == SYS_openat2 ? open_fault() : 0;
  return code ? failed(code) : REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// Only what the server opens to hold a descriptor in reserve: programs open other files than by this when they start.
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (strcmp(path, "/dev/null") == 0 && chosen(BIT(NO_FILES)) >= 0) return failed(EMFILE);
  return REAL(open)(path, flags, mode);
}

ssize_t pread(int file, void *bytes, size_t length, off_t offset) {
  switch (chosen(BIT(INTERRUPTED) | BIT(SHORT) | BIT(BAD_DISK))) {
    case INTERRUPTED: return failed(EINTR);
    case BAD_DISK: return failed(EIO);
    case SHORT: length = part(length);
    default: return REAL(pread)(file, bytes, length, offset);
  }
}

int fstat(int file, struct stat *status) {
  return chosen(BIT(BAD_DISK)) >= 0 ? failed(ENOMEM) : REAL(fstat)(file, status);
}

// On Linux the descriptor is gone although the call says that it was interrupted.
int close(int file) {
  int result = REAL(close)(file);
  return result == 0 && chosen(BIT(INTERRUPTED)) >= 0 ? failed(EINTR) : result;
}
