import HTTPTypes
import Text

/// Which header fields are stored (RFC 9111 §3.1) and updated by a 304 (§3.2).
enum StoredFields {
  /// Connection fields, and cookies, which this client does not use and which may be secret.
  private static let dropped: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "te",
    "transfer-encoding", "upgrade", "set-cookie",
  ]

  /// Fields that describe the stored body: a 304 has none, so its values do not apply.
  private static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

  /// The fields to store.
  static func keep(_ fields: HTTPFields) -> HTTPFields {
    let named = Set(
      (fields[.connection] ?? "").split(separator: ",").map { $0.trimmingBlanks.lowercased() })
    var kept = HTTPFields()
    for field in fields where !dropped.contains(field.name.canonicalName) && !named.contains(field.name.canonicalName) {
      kept.append(field)
    }
    return kept
  }

  /// The stored fields, replaced by those of the same name that a 304 brings.
  static func merge(_ stored: HTTPFields, with fresh: HTTPFields) -> HTTPFields {
    let changes = keep(fresh).filter { !ofBody.contains($0.name.canonicalName) }
    let names = Set(changes.map(\.name))
    // A 304 without `Age` is new; the stored age would count twice.
    let merged = stored.filter { !names.contains($0.name) && $0.name != .age } + changes
    // Each 304 may bring other names.
    return HTTPFields(merged.suffix(TransportConfiguration.headerLineLimit))
  }
}
