/// What the doctor found out about one thing.
struct DoctorFinding: Encodable, Hashable, Sendable {
  /// What it is about, in the order of the report.
  enum Subject: String, Encodable, Hashable, Sendable {
    case version, pages, data, key, port, database, backend, certificate, clock
  }

  /// How it is.
  enum State: String, Encodable, Hashable, Sendable {
    /// Nothing is to be done.
    case ok
    /// A console would not start, or its calls would fail.
    case problem
  }

  let check: Subject
  let state: State
  /// What was found, in one line.
  let text: String
  /// What to do; nil if there is nothing.
  let advice: String?

  /// A thing that is in order.
  static func ok(_ check: Subject, _ text: String, advice: String? = nil) -> Self {
    Self(check: check, state: .ok, text: text, advice: advice)
  }

  /// A thing that has to change.
  static func problem(_ check: Subject, _ text: String, advice: String) -> Self {
    Self(check: check, state: .problem, text: text, advice: advice)
  }
}
