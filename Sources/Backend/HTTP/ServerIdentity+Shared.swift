import Glibc
import JSON
import Storage
import Vault

extension ServerIdentity {
  /// A pair as it is sealed in a database.
  private struct Sealed: Codable {
    let certificatePEM: String
    let privateKeyPEM: String
    /// Seconds since 1970.
    let madeAt: Int
  }

  private static let associatedData = Array(StoredValue.identity.rawValue.utf8)

  /// Returns the pair of all backends that share a database, which the first one makes, and the first that starts when it is old anew.
  static func shared(_ storage: any StorageEngine, key: SealingKey) async throws(BackendError) -> ServerCertificate {
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
