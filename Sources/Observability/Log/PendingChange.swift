import JSON
import Redaction

/// A change that is not recorded yet, including secrets. Descriptions omit the content.
struct PendingChange: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The change to record.
  enum Kind: Sendable {
    /// An attempt begins, with the ID returned to the caller.
    case begin(id: String, RawRequest, AttemptOrigin, NetworkRow.State)
    /// The state changes, and the request if one is given.
    case update(id: String, NetworkRow.State, RawRequest?)
    /// The attempt finishes.
    case finish(id: String, RawExchange)
  }

  /// The kind of change.
  let kind: Kind
  /// Has the secrets at the time of the change, so that a secret removed meanwhile is still masked.
  let redactor: Redactor

  /// The bytes of the bodies, including their parsed forms.
  var bodyBytes: Int {
    switch kind {
    case .begin(_, let request, _, _): request.body.count
    case .update(_, _, let request): request?.body.count ?? 0
    case .finish(_, let exchange):
      exchange.request.body.count + (exchange.response?.body.count ?? 0)
        + (exchange.response?.document?.tokens.count ?? 0) * MemoryLayout<JSONToken>.stride
    }
  }

  /// A description without the content.
  var description: String { "PendingChange" }
  /// A description without the content.
  var debugDescription: String { description }
  /// A mirror without the content, so that `dump` shows nothing.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
