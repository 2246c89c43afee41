import HTTPTypes
import RPC

/// Which stored responses a call invalidates (RFC 9111 §4.4).
enum CacheInvalidation {
  /// The other paths whose responses a call changes.
  private static let changes: [String: [String]] = [
    AccountEndpoints.GetOrCreateProfile.path: [AccountEndpoints.Me.path],
    AccountEndpoints.SetActiveProfile.path: [AccountEndpoints.Me.path],
    AccountEndpoints.RequestDeletion.path: [AccountEndpoints.Me.path],
    CueEndpoints.ShuffleCues.path: [CueEndpoints.GetCues.path],
    CueEndpoints.UpdateCueStage.path: [CueEndpoints.GetCues.path],
  ]

  /// The paths to invalidate after a response with this status; none for a safe method or an error.
  ///
  /// `Location` and `Content-Location` count only within the backend's own `origin`.
  static func paths(
    after method: HTTPRequest.Method, path: String, status: Int, headers: HTTPFields, origin: String
  ) -> [String] {
    guard ![.get, .head, .options, .trace].contains(method), (200...399).contains(status) else { return [] }
    let named = [headers[.location], headers[.contentLocation]].compactMap { $0.flatMap { Self.path(of: $0, origin: origin) } }
    return [path] + (changes[path] ?? []) + named
  }

  private static func path(of reference: String, origin: String) -> String? {
    var rest = reference[...]
    if rest.lowercased().hasPrefix(origin.lowercased() + "/") { rest = rest.dropFirst(origin.count) }
    guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { return nil }
    return String(rest.prefix { $0 != "?" && $0 != "#" })
  }
}
