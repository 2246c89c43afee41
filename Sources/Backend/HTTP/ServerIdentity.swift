import Glibc
import JSON
import Storage
import Vault

/// The self-signed certificate and key of a backend, stored in a folder or a shared database so that the pin stays the same from run to run.
enum ServerIdentity {
  private static let certificateName = "certificate.pem"
  private static let keyName = "private-key.pem"
  /// A certificate is valid for 398 days, 30 of them before its creation, and is replaced well before it expires.
  private static let days = 368
  private static let renewalAge = 300 * 86_400

  /// Creates a certificate for the loopback names of this machine.
  static func make() throws(BackendStartError) -> ServerCertificate {
    do {
      return try ServerCertificate.selfSigned(
        commonName: "Understudy reference backend", names: ["localhost"], addresses: ["127.0.0.1", "::1"], days: days)
    } catch {
      throw .certificate("\(error)")
    }
  }

  /// Loads the pair of the folder; returns nil if it is missing, incomplete, about to expire or not yet valid.
  ///
  /// Throws `certificate` if a file is a symbolic link or belongs to another user, or if others can read the key.
  static func load(folder: String) throws(BackendStartError) -> ServerCertificate? {
    guard let key = try read("\(folder)/\(keyName)", isSecret: true),
      let certificate = try read("\(folder)/\(certificateName)", isSecret: false),
      certificate.age < renewalAge
    else { return nil }
    let pair = try? ServerCertificate(certificatePEM: certificate.text, privateKeyPEM: key.text)
    return pair?.isOfTheFuture == true ? nil : pair
  }

  /// Stores a pair in the folder, which is created with mode 0700 if it is missing.
  static func store(_ pair: ServerCertificate, folder: String) throws(BackendStartError) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .certificate("mkdir: errno \(errno)") }
    // The key comes first: a crash in between leaves a pair that does not match, and the next start creates a new one.
    try write(pair.privateKeyPEM, to: "\(folder)/\(keyName)")
    try write(pair.certificatePEM, to: "\(folder)/\(certificateName)")
  }

  private struct File {
    let text: String
    /// Seconds since the file was written.
    let age: Int
  }

  private static func read(_ path: String, isSecret: Bool) throws(BackendStartError) -> File? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .certificate("open: errno \(errno)")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .certificate("fstat: errno \(errno)") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw .certificate("a file belongs to another user")
    }
    guard !isSecret || status.st_mode & 0o077 == 0 else { throw .certificate("\(keyName) can be read by others") }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count) }
      if read < 0 && errno == EINTR { continue }
      guard read >= 0 else { throw .certificate("read: errno \(errno)") }
      if read == 0 { break }
      count += read
    }
    // The largest age for a time so long ago that it overflows.
    let (difference, overflows) = Glibc.time(nil).subtractingReportingOverflow(status.st_mtim.tv_sec)
    let age = overflows ? .max : max(0, difference)
    return File(text: String(decoding: bytes[..<count], as: UTF8.self), age: age)
  }

  /// Writes a temporary file and renames it, so that other processes never read a partial file.
  private static func write(_ text: String, to path: String) throws(BackendStartError) {
    let temporary = "\(path).\(SecureRandom.uuid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .certificate("open: errno \(errno)") }
    var isComplete = true
    var rest = Array(text.utf8)[...]
    while isComplete, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      isComplete = count > 0
      if isComplete { rest = rest.dropFirst(count) }
    }
    isComplete = isComplete && fsync(descriptor) == 0
    close(descriptor)
    guard isComplete, rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .certificate("write: errno \(code)")
    }
  }
}

extension ServerIdentity {
  /// A pair as it is sealed in a database.
  private struct Sealed: Codable {
    let certificatePEM: String
    let privateKeyPEM: String
    /// Seconds since 1970.
    let madeAt: Int
  }

  private static let associatedData = Array(StoredValue.identity.rawValue.utf8)

  /// Returns the pair of all backends that share a database. The first backend creates it, and the first one that starts when it
  /// is old replaces it.
  static func shared(_ storage: any StorageEngine, key: SealingKey) async throws(BackendStartError) -> ServerCertificate {
    let now = Glibc.time(nil)
    let made = try make()
    do {
      let sealed = Sealed(certificatePEM: made.certificatePEM, privateKeyPEM: made.privateKeyPEM, madeAt: now)
      let bytes = key.seal(try JSONCoding.encode(sealed), associatedData: associatedData)
      return try await storage.write { transaction in
        if let stored = try StoredValue.identity.bytes(transaction).flatMap({ opened($0, key: key, now: now) }) { return stored }
        try StoredValue.identity.set(transaction, to: bytes)
        return made
      }
    } catch {
      throw .database(DatabaseFault.description(of: error))
    }
  }

  /// The pair; nil if the key does not open it, or if it is about to expire or not yet valid.
  private static func opened(_ sealed: [UInt8], key: SealingKey, now: Int) -> ServerCertificate? {
    guard let bytes = try? key.open(sealed, associatedData: associatedData),
      let stored = try? JSONCoding.decode(Sealed.self, from: bytes), stored.madeAt > now - renewalAge,
      let pair = try? ServerCertificate(certificatePEM: stored.certificatePEM, privateKeyPEM: stored.privateKeyPEM),
      !pair.isOfTheFuture
    else { return nil }
    return pair
  }
}
