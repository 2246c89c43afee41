// The note of a fault that ends the process. Everything that runs within the handler makes async-signal-safe calls only (signal-safety(7)).
#pragma once
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/// The functions of the program's own file (elf(5)): its symbols, as the file has them, and where the program lies in memory. Without symbols the
/// count is 0.
struct clinux_functions {
  const Elf64_Sym *symbols;
  size_t count;
  const char *names;
  size_t names_size;
  uintptr_t base;
};

static inline struct clinux_functions *clinux_functions(void) {
  static struct clinux_functions functions;
  return &functions;
}

/// Whether a part of a file of `size` bytes lies within it.
static inline int clinux_is_within(Elf64_Off offset, Elf64_Xword length, size_t size) { return offset <= size && length <= size - offset; }

/// Maps the program's file, of which nothing but the head is read until a fault happens.
static inline void clinux_map_functions(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat about;
  size_t size = fstat(file, &about) == 0 && about.st_size > 0 ? (size_t)about.st_size : 0;
  char *bytes = size > sizeof(Elf64_Ehdr) ? (char *)mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : (char *)MAP_FAILED;
  close(file);
  if (bytes == (char *)MAP_FAILED) return;
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr)
      || !clinux_is_within(head->e_shoff, (Elf64_Xword)head->e_shnum * sizeof(Elf64_Shdr), size)) return;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + head->e_shoff);
  for (size_t index = 0; index < head->e_shnum; index++) {
    const Elf64_Shdr *symbols = &sections[index];
    if (symbols->sh_type != SHT_SYMTAB || symbols->sh_link >= head->e_shnum) continue;
    const Elf64_Shdr *names = &sections[symbols->sh_link];
    if (!clinux_is_within(symbols->sh_offset, symbols->sh_size, size) || !clinux_is_within(names->sh_offset, names->sh_size, size)) continue;
    struct clinux_functions *functions = clinux_functions();
    functions->symbols = (const Elf64_Sym *)(bytes + symbols->sh_offset);
    functions->names = bytes + names->sh_offset;
    functions->names_size = names->sh_size;
    functions->base = head->e_type == ET_DYN ? (uintptr_t)getauxval(AT_PHDR) - head->e_phoff : 0;
    functions->count = symbols->sh_size / sizeof(Elf64_Sym);
  }
}

/// The name of the program's function at an address, which need not end with a zero within `room`; NULL if there is none.
static inline const char *clinux_function_at(uintptr_t address, size_t *room) {
  const struct clinux_functions *functions = clinux_functions();
  uintptr_t place = address - functions->base;
  for (size_t index = 0; index < functions->count; index++) {
    const Elf64_Sym *symbol = &functions->symbols[index];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || place < symbol->st_value || place - symbol->st_value >= symbol->st_size) continue;
    if (symbol->st_name >= functions->names_size) return NULL;
    const char *name = functions->names + symbol->st_name;
    *room = functions->names_size - symbol->st_name;
    // Of Swift's runtime and standard library, which may be part of the program's own file.
    if (*room > 6 && (!memcmp(name, "$ss", 3) || !memcmp(name, "swift_", 6) || !memcmp(name, "_swift", 6))) return NULL;
    return name;
  }
  return NULL;
}

/// The innermost function of the program's own file that was running: the runtime's and the system's have frames above it. NULL if none is known.
static inline const char *clinux_running_function(const ucontext_t *context, size_t *room) {
#if defined(__x86_64__)
  uintptr_t address = (uintptr_t)context->uc_mcontext.gregs[16 /* REG_RIP */], frame = (uintptr_t)context->uc_mcontext.gregs[10 /* REG_RBP */];
#elif defined(__aarch64__)
  uintptr_t address = (uintptr_t)context->uc_mcontext.pc, frame = (uintptr_t)context->uc_mcontext.regs[29];
#else
  uintptr_t address = 0, frame = 0;
#endif
  for (int depth = 0; depth < 64; depth++) {
    const char *name = clinux_function_at(address, room);
    if (name) return name;
    // The kernel reads the frame, because a damaged chain must not fault again.
    uintptr_t next[2];
    struct iovec here = {next, sizeof next}, there = {(void *)frame, sizeof next};
    if (syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul) != sizeof next) return NULL;
    // Frames of async functions are marked in bit 60.
    next[0] &= ~((uintptr_t)1 << 60);
    if (next[0] <= frame) return NULL;
    frame = next[0];
    // A return address may be the first byte of the next function.
    address = next[1] - 1;
  }
  return NULL;
}

static inline char *clinux_crash_file(void) {
  static char file[4096];
  return file;
}

static inline size_t clinux_append(char *line, size_t length, const char *text) {
  while (*text) line[length++] = *text++;
  return length;
}

static inline size_t clinux_append_number(char *line, size_t length, long number, int digits) {
  for (int place = digits - 1; place >= 0; place--) {
    line[length + (size_t)place] = (char)('0' + number % 10);
    number /= 10;
  }
  return length + (size_t)digits;
}

/// Notes the fault in the file (none if its path is empty) and on standard error: one line that names the signal, the time and, where it is known,
/// the function, and nothing of the process's memory. A stack overflow leaves no note, because there is no stack to write it on.
__attribute__((unused)) static void clinux_note_crash(int number, siginfo_t *about, void *context) {
  (void)about;
  static volatile char is_noted;
  // The process ends with the first thread's fault.
  if (__atomic_test_and_set(&is_noted, __ATOMIC_ACQ_REL)) for (;;) pause();
  int saved = errno;
  const char *name = number == SIGILL ? "SIGILL" : number == SIGTRAP ? "SIGTRAP" : number == SIGSEGV ? "SIGSEGV" : number == SIGBUS ? "SIGBUS"
    : number == SIGFPE ? "SIGFPE" : "SIGABRT";
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  // gmtime(3) is not safe here: the civil date of days since 1970, in years from 1 March.
  long days = now.tv_sec / 86400 + 719468, seconds = now.tv_sec % 86400;
  long era = days / 146097, day_of_era = days % 146097;
  long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long shifted = (5 * day_of_year + 2) / 153;
  long month = shifted < 10 ? shifted + 3 : shifted - 9;
  long year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  char line[512];
  size_t length = clinux_append(line, 0, "understudy: ended by ");
  length = clinux_append(line, length, name);
  length = clinux_append(line, length, " at ");
  length = clinux_append_number(line, length, year, 4);
  length = clinux_append(line, length, "-");
  length = clinux_append_number(line, length, month, 2);
  length = clinux_append(line, length, "-");
  length = clinux_append_number(line, length, day_of_year - (153 * shifted + 2) / 5 + 1, 2);
  length = clinux_append(line, length, "T");
  length = clinux_append_number(line, length, seconds / 3600, 2);
  length = clinux_append(line, length, ":");
  length = clinux_append_number(line, length, seconds / 60 % 60, 2);
  length = clinux_append(line, length, ":");
  length = clinux_append_number(line, length, seconds % 60, 2);
  length = clinux_append(line, length, "Z");
  int file = -1;
  if (*clinux_crash_file()) file = open(clinux_crash_file(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  // Signal and time are written before the search for the function, which may fail. Without the poll, a full pipe would block here.
  struct pollfd errors = {.fd = 2, .events = POLLOUT};
  int is_read = poll(&errors, 1, 100) > 0;
  if (file >= 0 && write(file, line, length) < 0) {}
  if (is_read && write(2, line, length) < 0) {}
  size_t certain = length, room = 0;
  const char *function = clinux_running_function((const ucontext_t *)context, &room);
  if (function) {
    length = clinux_append(line, length, " in ");
    // Names of Swift's generic functions can have thousands of characters.
    for (; room > 0 && *function > ' ' && *function < 0x7f && length < sizeof line - 1; room--) line[length++] = *function++;
  }
  line[length++] = '\n';
  if (file >= 0) {
    if (write(file, line + certain, length - certain) < 0) {}
    fsync(file);
    close(file);
  }
  if (is_read && write(2, line + certain, length - certain) < 0) {}
  errno = saved;
  // The signal is blocked here; on return the default ends the process.
  signal(number, SIG_DFL);
  raise(number);
}

/// Has faults noted from now on; -1 if a path is too long, or a handler cannot be installed.
static inline int clinux_note_crashes(const char *file) {
  if (file) {
    size_t length = strlen(file);
    if (length >= 4096) return -1;
    memcpy(clinux_crash_file(), file, length + 1);
  }
  clinux_map_functions();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = clinux_note_crash;
  action.sa_flags = SA_SIGINFO;
  const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  sigemptyset(&action.sa_mask);
  // A fault while the note is written ends the process without it.
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaddset(&action.sa_mask, signals[index]);
  int result = 0;
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) result |= sigaction(signals[index], &action, NULL);
  return result;
}
