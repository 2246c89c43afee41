import COpenSSL

/// OpenSSL as a whole, for the process that it lives in.
package enum TLSLibrary {
  /// Leaves the library's memory to the end of the process, where it would be freed at `exit`.
  ///
  /// A thread that ends at that very moment frees its own part too, which crashes the stop (OPENSSL_init_crypto(3)). A program calls
  /// this before anything that uses the library.
  package static func keepUntilTheEnd() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
