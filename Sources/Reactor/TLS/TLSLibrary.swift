import COpenSSL

/// Process-wide settings of OpenSSL.
package enum TLSLibrary {
  /// Keeps OpenSSL from freeing its memory at `exit`.
  ///
  /// A thread that ends at that moment frees its own part too, which crashes (OPENSSL_init_crypto(3)). A program must call this
  /// before anything that uses the library.
  package static func keepUntilTheEnd() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
