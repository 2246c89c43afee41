import Locking
import Redaction

extension NetworkLog {
  /// How many attempts a search reads from the log at a time.
  private static let searchStride = 16

  /// Searches the bodies of the rows after `after`, oldest first; ASCII letters match in either case.
  ///
  /// Stops when `budget` is spent, but not before the first row; continue from `next`. At most one body is searched beyond the
  /// budget.
  package func search(text: String, after: RowSequence = 0, budget: Duration = .milliseconds(50)) -> NetworkSearchPage {
    flush()
    let deadline = ContinuousClock.now + budget
    let search = BodySearch(text)
    var matches: [RowSequence] = []
    var cursor = after
    while true {
      let bodies = state.withLock { state in
        let first = state.store.position(after: cursor)
        return (first..<min(first + Self.searchStride, state.store.count)).map { position in
          (seq: state.store.row(at: position).seq, bodies: state.store.bodies(at: position))
        }
      }
      if bodies.isEmpty { return NetworkSearchPage(matches: matches, next: cursor, done: true) }
      for body in bodies {
        if [body.bodies.request, body.bodies.response].contains(where: { $0.map(search.matches) ?? false }) {
          matches.append(body.seq)
        }
        cursor = body.seq
        if ContinuousClock.now >= deadline { return NetworkSearchPage(matches: matches, next: cursor, done: false) }
      }
    }
  }
}

/// A text to search for in bodies; ASCII letters match in either case.
struct BodySearch {
  private let wanted: [UInt8]

  /// Searches for `text`; empty text matches everything.
  init(_ text: String) { wanted = text.utf8.map(SecretNeedle.lowercased) }

  /// Whether the body contains the text.
  func matches(_ body: String) -> Bool {
    guard let first = wanted.first else { return true }
    let bytes = body.utf8.span
    guard bytes.count >= wanted.count else { return false }
    let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) ? first & ~0x20 : first
    for start in 0...(bytes.count - wanted.count) where bytes[start] == first || bytes[start] == upper {
      var length = 1
      while length < wanted.count, SecretNeedle.lowercased(bytes[start + length]) == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}
