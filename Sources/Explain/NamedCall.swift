/// A call that is known by its method and address, as a backend file names it.
package struct NamedCall: Sendable {
  /// The purpose of a call.
  package enum Kind: Sendable {
    /// Returns the tokens of a new session.
    case signIn
    /// Comes before a sign-in, such as the request for a code.
    case signInRequest
    case refresh
    case signOut
    /// Anything else.
    case other
  }

  let kind: Kind
  private let method: String
  /// nil for any.
  private let host: String?
  /// The segments of the path, each in the pieces between its values.
  private let segments: [[String]]
  /// The pairs of the query that every request has, as they are sent.
  private let query: [String]

  /// - Parameters:
  ///   - host: The host in lower case, with its port unless that is 443; nil for any.
  ///   - path: The path in pieces; nil stands for a value of one segment that is not empty.
  ///   - query: The pairs that the query has at least, such as `grant_type=password`.
  package init(_ kind: Kind, method: String, host: String?, path: [String?], query: [String] = []) {
    self.kind = kind
    self.method = method
    self.host = host
    self.query = query
    var segments: [[String]] = [[""]]
    for piece in path {
      guard let piece else {
        segments[segments.count - 1].append("")
        continue
      }
      let parts = piece.split(separator: "/", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0 { segments.append([""]) }
        segments[segments.count - 1][segments[segments.count - 1].count - 1] += part
      }
    }
    self.segments = segments
  }

  /// Whether a request is the call; `host` is in lower case.
  func matches(method: String, host: String, path: String, query: Substring) -> Bool {
    guard method == self.method, self.host.map({ $0 == host || "\($0):443" == host }) ?? true else { return false }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == segments.count, zip(segments, parts).allSatisfy({ Self.matches($0, $1) }) else { return false }
    let pairs = self.query.isEmpty ? [] : query.split(separator: "&")
    return self.query.allSatisfy { pair in pairs.contains { $0 == pair } }
  }

  /// Whether a segment has the pieces in their order, with a value of at least one byte between each two.
  private static func matches(_ pieces: [String], _ segment: Substring) -> Bool {
    guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
      return pieces.first.map { $0 == segment } ?? false
    }
    guard segment.hasPrefix(first) else { return false }
    var rest = segment.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() {
      guard !rest.isEmpty else { return false }
      rest = rest.dropFirst()
      // The first place leaves the most for the pieces that follow.
      guard let found = piece.isEmpty ? rest.startIndex..<rest.startIndex : rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count > last.count && rest.hasSuffix(last)
  }
}

extension NamedCall.Kind {
  /// The kind of a call by the name of its endpoint in Understudy's own rows; nil for requests that have only a path as their
  /// name: those of other programs, and a person's.
  package init?(endpoint: String) {
    switch endpoint {
    case "request_magic_link", "request_login_code": self = .signInRequest
    case "login_with_magic_token", "login_with_code", "login_with_password": self = .signIn
    case "refresh_tokens", "refresh-token": self = .refresh
    case "logout": self = .signOut
    case "composed": return nil
    default:
      guard !endpoint.contains("/") else { return nil }
      self = .other
    }
  }
}

extension [NamedCall] {
  /// The kind of the calls that match a request; nil if none matches, or several kinds.
  func kind(method: String, host: String, path: String, query: Substring) -> NamedCall.Kind? {
    var found: NamedCall.Kind?
    for call in self where call.matches(method: method, host: host, path: path, query: query) {
      if let found, found != call.kind { return nil }
      found = call.kind
    }
    return found
  }
}
