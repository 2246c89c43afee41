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

/// Who owns the TCP socket at the other end of a connection of this machine (sock_diag(7)): netlink's macros and structures are beyond Swift.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
struct clinux_socket_owner {
  unsigned int user, inode, state;
};

/// A socket to ask with; -1 and `errno` if there is none.
static inline int clinux_diag_open(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG); }

/// Looks up the one socket with these ends, addresses and ports in network order; 0, or the error's number. The kernel answers within the send.
static inline int clinux_diag_owner(
    int netlink, int family, const unsigned char *source, unsigned short source_port, const unsigned char *target,
    unsigned short target_port, unsigned int sequence, struct clinux_socket_owner *owner) {
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
  } question;
  size_t length = family == AF_INET6 ? 16 : 4;
  memset(&question, 0, sizeof question);
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.head.nlmsg_seq = sequence;
  question.body.sdiag_family = (unsigned char)family;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0u;
  question.body.id.idiag_sport = source_port;
  question.body.id.idiag_dport = target_port;
  memcpy(question.body.id.idiag_src, source, length);
  memcpy(question.body.id.idiag_dst, target, length);
  question.body.id.idiag_cookie[0] = question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (sendto(netlink, &question, sizeof question, MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel) < 0) return errno;
  for (;;) {
    union {
      struct nlmsghdr head;
      char bytes[2048];
    } answer;
    struct sockaddr_nl from = {0};
    socklen_t room = sizeof from;
    ssize_t count = recvfrom(netlink, &answer, sizeof answer, MSG_DONTWAIT, (struct sockaddr *)&from, &room);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (from.nl_pid != 0 || count < (ssize_t)sizeof answer.head || answer.head.nlmsg_seq != sequence) continue;
    if (answer.head.nlmsg_type == NLMSG_ERROR) {
      const struct nlmsgerr *error = (const struct nlmsgerr *)NLMSG_DATA(&answer.head);
      return count >= (ssize_t)NLMSG_LENGTH(sizeof *error) && error->error < 0 ? -error->error : EIO;
    }
    const struct inet_diag_msg *found = (const struct inet_diag_msg *)NLMSG_DATA(&answer.head);
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || count < (ssize_t)NLMSG_LENGTH(sizeof *found)) return EIO;
    owner->user = found->idiag_uid;
    owner->inode = found->idiag_inode;
    owner->state = found->idiag_state;
    return 0;
  }
}
