/// The doctor's finding about one subject.
struct DoctorFinding: Encodable, Hashable, Sendable {
  /// The subject, in the order of the report.
  enum Subject: String, Encodable, Hashable, Sendable {
    case version, pages, data, key, port, database, backend, certificate, clock
  }

  /// The subject's state.
  enum State: String, Encodable, Hashable, Sendable {
    /// No action is needed.
    case ok
    /// A console would not start, or its calls would fail.
    case problem
  }

  let check: Subject
  let state: State
  /// The finding, in one line.
  let text: String
  /// The recommended action; nil if none is needed.
  let advice: String?

  /// A finding without a problem.
  static func ok(_ check: Subject, _ text: String, advice: String? = nil) -> Self {
    Self(check: check, state: .ok, text: text, advice: advice)
  }

  /// A finding that needs an action.
  static func problem(_ check: Subject, _ text: String, advice: String) -> Self {
    Self(check: check, state: .problem, text: text, advice: advice)
  }
}
