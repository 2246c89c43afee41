// The least that a server can cost on a machine: counts the ends of heads in what arrives, and answers each with the same bytes.
// It parses nothing, times nothing and forgets nothing. usage: floor PORT epoll|io_uring
#define _GNU_SOURCE
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { buffers = 1024, size = 4096, room = 16384, files = 4096, accepted = 1, received = 2, sent = 3 };

static const char answer[] =
  "HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 26\r\n"
  "Cache-Control: no-store\r\n\r\n{\"ok\":true,\"name\":\"probe\"}";
static char output[files][room];

static void check(int result, const char *call) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", call, strerror(result == -1 ? errno : -result));
  exit(1);
}

static void without_delay(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Writes the answers to what was received; returns their length.
static size_t respond(const char *input, size_t count, char *to) {
  size_t length = 0;
  const char *end = input + count, *next = input;
  while ((next = memmem(next, end - next, "\r\n\r\n", 4)) && length + sizeof answer <= room) {
    next += 4;
    memcpy(to + length, answer, sizeof answer - 1);
    length += sizeof answer - 1;
  }
  return length;
}

/// Level-triggered, one receive and one send for each event.
static void by_epoll(int listener) {
  static char input[room];
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[256];
  int set = epoll_create1(0);
  check(set, "epoll_create1");
  check(epoll_ctl(set, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
  for (;;) {
    int count = epoll_wait(set, ready, 256, -1);
    for (int place = 0; place < count; place++) {
      int fd = ready[place].data.fd;
      if (fd == listener) {
        event.data.fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (event.data.fd < 0) continue;
        without_delay(event.data.fd);
        epoll_ctl(set, EPOLL_CTL_ADD, event.data.fd, &event);
        continue;
      }
      ssize_t length = recv(fd, input, sizeof input, 0);
      if (length <= 0) { close(fd); continue; }
      send(fd, output[0], respond(input, length, output[0]), MSG_NOSIGNAL);
    }
  }
}

static struct io_uring_sqe *entry(struct io_uring *ring, unsigned kind, int fd) {
  struct io_uring_sqe *entry = io_uring_get_sqe(ring);
  if (!entry) {
    io_uring_submit(ring);
    entry = io_uring_get_sqe(ring);
  }
  io_uring_sqe_set_data64(entry, (unsigned long long)kind << 32 | (unsigned)fd);
  return entry;
}

static void receive(struct io_uring *ring, int fd) {
  struct io_uring_sqe *sqe = entry(ring, received, fd);
  unsigned long long data = sqe->user_data;
  io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
  sqe->flags |= IOSQE_BUFFER_SELECT;
  sqe->buf_group = 0;
  sqe->user_data = data;
}

/// Multishot accept and receive, provided buffers, one submission a turn.
static void by_io_uring(int listener) {
  static char input[buffers][size];
  struct io_uring ring;
  struct io_uring_params parameters = {
    .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE, .cq_entries = 8192};
  check(io_uring_queue_init_params(2048, &ring, &parameters), "io_uring_setup");
  struct io_uring_buf_ring *pool = NULL;
  check(-posix_memalign((void **)&pool, 4096, buffers * sizeof(struct io_uring_buf)), "posix_memalign");
  memset(pool, 0, buffers * sizeof(struct io_uring_buf));
  struct io_uring_buf_reg registration = {.ring_addr = (unsigned long)pool, .ring_entries = buffers};
  check(io_uring_register_buf_ring(&ring, &registration, 0), "io_uring_register_buf_ring");
  io_uring_buf_ring_init(pool);
  for (int place = 0; place < buffers; place++) io_uring_buf_ring_add(pool, input[place], size, place, buffers - 1, place);
  io_uring_buf_ring_advance(pool, buffers);
  struct io_uring_sqe *sqe = entry(&ring, accepted, listener);
  unsigned long long data = sqe->user_data;
  io_uring_prep_multishot_accept(sqe, listener, NULL, NULL, 0);
  sqe->user_data = data;
  for (;;) {
    io_uring_submit_and_wait(&ring, 1);
    struct io_uring_cqe *cqe;
    unsigned head, count = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      count++;
      unsigned kind = cqe->user_data >> 32;
      int fd = (unsigned)cqe->user_data;
      if (kind == accepted && cqe->res >= 0) {
        without_delay(cqe->res);
        receive(&ring, cqe->res);
      } else if (kind == received && cqe->res > 0) {
        int place = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
        size_t length = respond(input[place], cqe->res, output[fd % files]);
        io_uring_buf_ring_add(pool, input[place], size, place, buffers - 1, 0);
        io_uring_buf_ring_advance(pool, 1);
        sqe = entry(&ring, sent, fd);
        data = sqe->user_data;
        io_uring_prep_send(sqe, fd, output[fd % files], length, MSG_NOSIGNAL);
        sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
        sqe->user_data = data;
        if (!(cqe->flags & IORING_CQE_F_MORE)) receive(&ring, fd);
      } else if (kind == received && cqe->res == -ENOBUFS) {
        receive(&ring, fd);
      } else if (kind == received) {
        close(fd);
      }
    }
    io_uring_cq_advance(&ring, count);
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  check(listener, "socket");
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
  check(listen(listener, 1024), "listen");
  strcmp(arguments[2], "io_uring") == 0 ? by_io_uring(listener) : by_epoll(listener);
}
