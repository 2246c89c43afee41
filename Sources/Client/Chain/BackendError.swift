import JSON
import RPC

/// The error that the body of a response describes, in any of the shapes that backends use.
///
/// The shapes are `{"error":{"code", "message"}}`, `{"code", "message"}`, `{"error":"…", "error_description"}` (RFC 6749 §5.2)
/// and `{"type", "title", "status"}` with or without `code` (RFC 9457).
struct BackendError: Hashable, Sendable {
  /// The error code: one of `BackendErrorCode` in its own spelling, or another well-formed word; nil if there is none.
  let code: String?
  /// How long to wait before the next attempt, in whole seconds, 1 to `RetryAfter.longest`; nil if the body does not say.
  let retryAfterSeconds: Int?

  /// Reads the body of a response with an error status; nil if it describes no error.
  init?(_ root: JSONNode) {
    guard Self.describesError(root) else { return nil }
    let nested = root["error"]
    let named = [nested?["code"]?.string, root["code"]?.string, nested?.string, root["type"]?.string.flatMap(Self.lastSegment)]
    let codes = named.compactMap { $0.flatMap(Self.canonical) }
    // A backend may name the error in its own words beside a known one.
    code = codes.first(where: BackendErrorCode.all.contains) ?? codes.first
    retryAfterSeconds =
      [nested, nested?["details"], root, root["details"]].lazy.compactMap { $0.flatMap(Self.seconds(in:)) }.first
  }

  private static func describesError(_ root: JSONNode) -> Bool {
    switch root["error"]?.kind {
    case .object: return root["error"]?.count ?? 0 > 0
    case .string: return root["error"]?.string?.isEmpty == false
    default: break
    }
    switch root["code"]?.kind {
    case .string: return true
    case .number: return root["message"]?.kind == .string
    default: break
    }
    // A problem's `type` may be missing, and then counts as `about:blank` (RFC 9457 §3.1.1).
    let isProblem = root["title"]?.kind == .string || root["detail"]?.kind == .string
    return isProblem && (root["type"]?.kind == .string || root["status"]?.kind == .number)
  }

  /// The last segment of a problem type; nil for `about:blank`, which says no more than the status.
  private static func lastSegment(_ type: String) -> String? {
    guard type != "about:blank" else { return nil }
    let path = type.prefix { $0 != "?" }
    return path.split(whereSeparator: { $0 == "/" || $0 == "#" || $0 == ":" }).last.map(String.init)
  }

  private static let known = Dictionary(uniqueKeysWithValues: BackendErrorCode.all.map { (folded($0), $0) })

  /// The code in this client's spelling; nil unless it is known or 1 to 64 letters, digits and underscores.
  ///
  /// An unknown code is never changed: it may quote a secret, which is only masked as it was sent.
  private static func canonical(_ text: String) -> String? {
    guard (1...64).contains(text.utf8.count) else { return nil }
    if let code = known[folded(text)] { return code }
    let isWord = text.utf8.allSatisfy {
      ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || (0x30...0x39).contains($0)
    }
    return isWord ? text : nil
  }

  /// The code without what differs between spellings: case, hyphens and underscores.
  private static func folded(_ code: String) -> String { code.lowercased().filter { $0 != "_" && $0 != "-" } }

  private static let waitMembers = ["retry_after_seconds", "retry_after", "retryAfterSeconds", "retryAfter"]

  private static func seconds(in object: JSONNode) -> Int? {
    for member in waitMembers {
      guard let node = object[member], let value = node.double ?? node.string.flatMap(Double.init), value > 0 else { continue }
      return Int(min(value, Double(RetryAfter.longest)).rounded(.up))
    }
    return nil
  }
}
