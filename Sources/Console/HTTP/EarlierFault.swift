import JSON
import Locking
import OpenAPI

/// The fault that ended the console before this one, until somebody who may change the console has seen it.
package final class EarlierFault: Sendable {
  /// Which signal ended the process, and when.
  struct Body: Codable, Hashable, SchemaProvider {
    let signal: String
    let at: Timestamp

    static var schema: Schema { .recorded(from: Self.self).named("FaultOfProcess") }
  }

  private let unseen: Locked<Body?>

  /// Reads the line of a note; a line of another form, which no console wrote, is ignored.
  package init(note: String?) {
    let words = (note ?? "").split(separator: " ")
    var body: Body?
    if words.count == 6, words[..<3] == ["understudy:", "ended", "by"], words[4] == "at", words[3].hasPrefix("SIG"),
      let at = Timestamp(parsing: String(words[5]))
    {
      body = Body(signal: String(words[3]), at: at)
    }
    unseen = Locked(body)
  }

  /// The fault, for the console's owner; nil if there is none, or somebody has seen it.
  var body: Body? { unseen.withLock { $0 } }

  /// Notes that it was seen.
  func see() { unseen.withLock { $0 = nil } }
}
