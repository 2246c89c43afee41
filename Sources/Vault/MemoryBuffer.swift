import COpenSSL

/// The owner of one OpenSSL memory buffer, through which PEM is read and written.
final class MemoryBuffer {
  /// The handle, freed and wiped with the owner.
  let handle: OpaquePointer

  /// An empty buffer.
  init() throws(VaultError) {
    guard let handle = BIO_new(BIO_s_secmem()) else { throw .certificateNotMade(step: "memory") }
    self.handle = handle
  }

  /// A buffer that holds `text`.
  convenience init(_ text: String) throws(VaultError) {
    try self.init()
    let bytes = Array(text.utf8)
    guard let length = Int32(exactly: bytes.count), length == 0 || BIO_write(handle, bytes, length) == length else {
      throw .malformedCertificate
    }
  }

  deinit { BIO_free(handle) }

  /// What was written.
  var text: String {
    var start: UnsafeMutablePointer<CChar>?
    let count = understudy_bio_bytes(handle, &start)
    guard let start, count > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
