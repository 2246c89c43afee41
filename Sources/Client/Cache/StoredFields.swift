import HTTPTypes

/// Which fields of a response are stored (RFC 9111 §3.1) and changed by a 304 (§3.2).
enum StoredFields {
  /// Fields of the connection, and cookies, which this client has no use for and which may be secret.
  private static let dropped: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "te",
    "transfer-encoding", "upgrade", "set-cookie",
  ]

  /// Fields that describe the stored body, which a 304 does not bring: its own would be those of no body.
  private static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

  /// The fields that stay.
  static func keep(_ fields: HTTPFields) -> HTTPFields {
    let named = Set(
      (fields[.connection] ?? "").split(separator: ",").map { CacheControl.trimmed($0).lowercased() })
    var kept = HTTPFields()
    for field in fields where !dropped.contains(field.name.canonicalName) && !named.contains(field.name.canonicalName) {
      kept.append(field)
    }
    return kept
  }

  /// The stored fields with each one that a 304 brings in place of those of the same name.
  static func merge(_ stored: HTTPFields, with fresh: HTTPFields) -> HTTPFields {
    let changes = keep(fresh).filter { !ofBody.contains($0.name.canonicalName) }
    let names = Set(changes.map(\.name))
    // A 304 without an age is as young as its answer; the stored one's would count twice.
    return HTTPFields(stored.filter { !names.contains($0.name) && $0.name != .age } + changes)
  }
}
