import JSON
import Locking
import OpenAPI

/// The fault that ended an earlier console. Owners see it until one of them dismisses it.
package final class EarlierFault: Sendable {
  /// Which signal ended the process, when, and in which function, if it is known.
  struct Body: Codable, Hashable, SchemaProvider {
    let signal: String
    let at: Timestamp
    let function: String?

    static var schema: Schema { .recorded(from: Self.self).named("FaultOfProcess") }
  }

  private let unseen: Locked<Body?>
  private let remove: @Sendable () -> Void

  /// Reads the line of a note; a line of another form, which no console wrote, is ignored. `remove` deletes the note.
  package init(note: String?, remove: @escaping @Sendable () -> Void = {}) {
    let words = (note ?? "").split(separator: " ")
    var body: Body?
    if words.count == 6 || words.count == 8 && words[6] == "in", words[..<3] == ["understudy:", "ended", "by"], words[4] == "at",
      words[3].hasPrefix("SIG"),
      let at = Timestamp(parsing: String(words[5]))
    {
      body = Body(signal: String(words[3]), at: at, function: words.count == 8 ? String(words[7]) : nil)
    }
    // A page cannot show such a note, and only a page removes one.
    if note != nil, body == nil { remove() }
    unseen = Locked(body)
    self.remove = remove
  }

  /// The fault, for the console's owner; nil if there is none, or an owner has seen it.
  var body: Body? { unseen.withLock { $0 } }

  /// Records that it was seen, for later processes too.
  func markSeen() {
    let wasUnseen = unseen.withLock { body in
      defer { body = nil }
      return body != nil
    }
    if wasUnseen { remove() }
  }
}
