import BackendFile
import FoundationEssentials
import HTTPTypes
import JSON

/// A call that a backend file describes, while its requests are sent one after the other.
struct FileExchange: Sendable {
  let content: ActiveBackendFile.Content
  let call: BackendDefinition.CallTemplate
  /// The number of the request that is sent now, from 0.
  private var index = 0
  private var values: TemplateValues
  /// The values that earlier calls of the sign-in captured.
  private let earlier: [String: String]
  private var captured = CapturedValues()

  /// `values` has the first request's values other than secrets; later requests can also use captured values.
  init(
    content: ActiveBackendFile.Content, call: BackendDefinition.CallTemplate, values: [String: String], earlier: [String: String]
  ) {
    self.earlier = earlier
    self.content = content
    self.call = call
    self.values = TemplateValues(values: values, secrets: content.secrets)
  }

  private var request: RequestTemplate { call.requests[index] }

  var isFirst: Bool { index == 0 }

  private var isLast: Bool { index == call.requests.count - 1 }

  /// Advances to the next request; false if there is none.
  mutating func next() -> Bool {
    guard !isLast else { return false }
    index += 1
    return true
  }

  func render() throws(RenderingError) -> RenderedRequest { try content.definition.render(request, with: values) }

  /// The method and path in the row of a request that cannot be rendered: its template.
  var unrendered: (method: HTTPRequest.Method, path: String) { (request.method, request.path.source) }

  /// How long the values captured by a request for a code or link are valid, in seconds: as long as the backend states, at most a
  /// day.
  var validity: TimeInterval {
    let told = captured.values["expires_in_seconds"].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    return min(max(told ?? 600, 1), 86_400)
  }

  /// Whether a login lacks a value that the request for its code or link captures.
  func isOfUnfinishedSignIn(_ error: RenderingError) -> Bool {
    guard call.name.role == .login, error.reason == .missing else { return false }
    return content.definition.calls.contains { other in
      other.name.role == .request && other.requests.contains { $0.captures.contains { $0.name == error.name } }
    }
  }

  /// The error and its place, as one sentence.
  func sentence(_ text: String, at place: FilePlace) -> String {
    BackendFileError(file: content.definition.file, place: place, message: text).text
  }

  /// Reads the response to the sent request: its meaning, and after the last request the contract's response.
  mutating func read(_ answer: AttemptResponse) -> FileReading {
    let definition = content.definition
    let received = ReceivedAnswer(
      status: answer.response.status, headers: answer.response.headers, document: answer.document)
    let verdict = definition.verdict(on: received, to: request, of: call.name)
    var reading = FileReading(call: call.name, cookies: received.cookieValues, rule: rule(of: verdict))
    switch verdict {
    case .failure(let failure): reading.outcome = .failure(failure)
    case .success:
      reading.secrets = definition.secrets(in: received, to: request)
      do throws(MissingValue) {
        try definition.capture(from: received, toRequest: index, of: call, into: &captured)
        values.values.merge(captured.values) { $1 }
        reading.captured = captured
        reading.secrets += captured.secrets
        if isLast { reading.outcome = .answered(try definition.answer(to: call, from: captured)) }
      } catch {
        let found = answer.document == nil ? answer.unread.description : "the answer has no \(error.name)"
        reading.outcome = .unusable(PayloadMismatch(words: sentence(found, at: error.place)))
      }
    }
    return reading
  }

  private func rule(of verdict: AnswerVerdict) -> String? {
    guard case .failure(let failure) = verdict, let place = failure.rule, case .word(let word) = failure.meaning else {
      return nil
    }
    return "\(place.path) in line \(place.line) of the backend file: \(word.text)"
  }

  /// The captured session of a sign-in: the values that its requests captured, and the account if no later call returns it.
  var session: CapturedSession {
    var session = CapturedSession()
    session.values = earlier
    session.merge(captured.values)
    if let identifier = values.values[FlowValue.identifier.rawValue] {
      session.values[FlowValue.identifier.rawValue] = identifier
    }
    if !content.definition.has(.me) {
      session.account = String(decoding: content.definition.account(from: captured).bytes, as: UTF8.self)
    }
    return session
  }
}

/// A response as a backend file reads it.
struct FileReading: Sendable {
  enum Outcome: Sendable {
    /// The request succeeded, and another follows.
    case continued
    /// The last request succeeded: the contract's response.
    case answered(JSONTree)
    /// It succeeded, but lacks a required value.
    case unusable(PayloadMismatch)
    case failure(AnswerFailure)
  }

  let call: CallName
  var outcome = Outcome.continued
  var captured = CapturedValues()
  /// The secrets of the response, even if it is unusable.
  var secrets: [SecretValue] = []
  /// The values of the cookies that the response sets.
  let cookies: [String]

  /// The file's rule for the failure, as a row shows it: its place and its word. Nil without one.
  let rule: String?

  var failure: AnswerFailure? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }
}

/// The values that a backend file captured for a session, stored with its tokens.
package struct CapturedSession: Codable, Hashable, Sendable {
  /// Values that later requests use, by their names in the file.
  package var values: [String: String] = [:]
  /// The contract's response to `me`, as JSON, for a backend without such a call.
  package var account: String?

  package init() {}

  /// Creates a session from a request's captured values.
  init(of captured: CapturedValues) { merge(captured.values) }

  /// Adds a request's captured values, except for the tokens and the values that only the sign-in may use.
  mutating func merge(_ captured: [String: String]) {
    values.merge(captured.filter { name, _ in !FlowValue.isMomentary(name) && !Self.tokens.contains(name) }) { $1 }
  }

  private static let tokens: Set = [FlowValue.accessToken.rawValue, FlowValue.refreshToken.rawValue]
}
