// Says on standard error when OpenSSL is taken down, which no thread may still be using then.
#include <unistd.h>

void OPENSSL_cleanup(void) {
  static const char said[] = "OpenSSL was taken down\n";
  if (write(STDERR_FILENO, said, sizeof said - 1) < 0) _exit(1);
}
