/// A change that was handed to the log and is not recorded yet, secrets included. It prints nothing of itself.
struct PendingChange: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What is to be recorded.
  enum Kind: Sendable {
    /// An attempt begins, with the id that its caller was told.
    case begin(id: String, RawRequest, AttemptOrigin, NetworkRow.State)
    /// It moves on to another state, with the request as it is now if that has changed.
    case update(id: String, NetworkRow.State, RawRequest?)
    /// It ends.
    case finish(id: String, RawExchange)
  }

  /// What is to be recorded.
  let kind: Kind
  /// Knows the secrets that were known as it was handed over: one that is forgotten meanwhile is masked all the same.
  let redactor: Redactor

  /// The bytes of its bodies.
  var bodyBytes: Int {
    switch kind {
    case .begin(_, let request, _, _): request.body.count
    case .update(_, _, let request): request?.body.count ?? 0
    case .finish(_, let exchange): exchange.request.body.count + (exchange.response?.body.count ?? 0)
    }
  }

  /// A text without the change.
  var description: String { "PendingChange" }
  /// A text without the change.
  var debugDescription: String { description }
  /// A mirror without the change, so that `dump` shows nothing.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
