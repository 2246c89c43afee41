import COpenSSL

/// Owns an OpenSSL memory buffer for reading and writing PEM text; it is wiped when it is freed.
final class MemoryBuffer {
  let handle: OpaquePointer

  init() throws(VaultError) {
    guard let handle = BIO_new(BIO_s_secmem()) else { throw .certificateNotMade(step: "memory") }
    self.handle = handle
  }

  /// Creates a buffer with a text.
  convenience init(_ text: String) throws(VaultError) {
    try self.init()
    let bytes = Array(text.utf8)
    guard let length = Int32(exactly: bytes.count), length == 0 || BIO_write(handle, bytes, length) == length else {
      throw .malformedCertificate
    }
  }

  deinit { BIO_free(handle) }

  /// The text that was written.
  var text: String {
    var start: UnsafeMutablePointer<CChar>?
    let count = understudy_bio_bytes(handle, &start)
    guard let start, count > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
