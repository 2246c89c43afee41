package import JSON
import RPC

/// A line of `errors`: the responses that it matches, and their meaning.
package struct ErrorRule: Hashable, Sendable {
  package enum Match: Hashable, Sendable {
    case status(Int)
    case code(String)
    case statusAndCode(Int, String)
    case statusAndValue(Int, ValueMatch)

    /// How many conditions the rule has: the narrower of two rules wins.
    var narrowness: Int {
      switch self {
      case .status: 0
      case .code: 1
      case .statusAndCode: 2
      case .statusAndValue: 3
      }
    }
  }

  package let match: Match
  package let word: ErrorWord
  package let place: FilePlace
}

/// `/pointer=value`: a value of the body that must be there.
///
/// Pointers and values may contain `=`, so every way to split the text is tried.
package struct ValueMatch: Hashable, Sendable {
  private let splits: [Split]

  private struct Split: Hashable, Sendable {
    let pointer: ValuePointer
    let value: String
  }

  /// Nil if no split has a pointer.
  package init?(_ text: String) {
    splits = text.indices.filter { text[$0] == "=" }.compactMap { equals in
      ValuePointer(String(text[..<equals])).map { Split(pointer: $0, value: String(text[text.index(after: equals)...])) }
    }
    if splits.isEmpty || !text.hasPrefix("/") { return nil }
  }

  package func matches(_ root: JSONNode) -> Bool {
    splits.contains { $0.pointer.value(in: root)?.scalarText == $0.value }
  }
}

/// The meaning of an error.
package enum ErrorWord: Hashable, Sendable {
  /// The access token has expired: refresh, then send once more.
  case expired
  /// The session is over.
  case ended
  /// The refresh token had been used: the session is over.
  case reused
  /// The user's typed value is wrong.
  case wrong
  /// Too many attempts.
  case tooMany
  /// A code of the contract.
  case code(String)

  /// The words of files in addition to the contract's codes, as messages list them.
  package static let words = ["ended", "expired", "reused", "too_many", "wrong"]

  /// As files write it.
  package var text: String {
    switch self {
    case .expired: "expired"
    case .ended: "ended"
    case .reused: "reused"
    case .wrong: "wrong"
    case .tooMany: "too_many"
    case .code(let code): code
    }
  }

  package init?(_ text: String) {
    switch text {
    case "expired": self = .expired
    case "ended": self = .ended
    case "reused": self = .reused
    case "wrong": self = .wrong
    case "too_many": self = .tooMany
    default:
      guard BackendErrorCode.all.contains(text) else { return nil }
      self = .code(text)
    }
  }

  /// Whether it concerns the session, so that it counts only for calls with a session.
  var isOfSession: Bool { self == .expired || self == .ended || self == .reused }
}
