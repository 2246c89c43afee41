import HTTPTypes

/// A route as the API description says it: what it takes and everything that it may answer.
struct OperationDescription: Sendable {
  /// An answer that is no problem.
  struct Answer: Sendable {
    let status: Int
    let description: String
    /// The media type and the schema; nil for an answer without a body.
    var content: (type: String, schema: Schema)?

    /// An answer in JSON.
    static func json(_ description: String, _ schema: Schema, status: Int = 200) -> Answer {
      Answer(status: status, description: description, content: ("application/json", schema))
    }

    /// An answer in text of the media type.
    static func text(_ description: String, type: String) -> Answer {
      Answer(status: 200, description: description, content: (type, .text))
    }

    /// That it is done.
    static let noContent = Answer(status: 204, description: "Done.")
  }

  /// Who may call.
  enum Caller: Sendable {
    case anybody, browser, device
  }

  /// A parameter of the query.
  struct Parameter: Sendable {
    let name: String
    let description: String
    let schema: Schema
  }

  let method: HTTPRequest.Method
  let path: String
  let name: String
  let tag: String
  let summary: String
  var caller = Caller.device
  var query: [Parameter] = []
  /// What the body has to be; nil where none is read.
  var body: Schema?
  /// Whether the body may be left out.
  var isBodyOptional = false
  let answers: [Answer]
  /// The codes that the handler may answer, beside those of the gate.
  var codes: [ProblemCode] = []

  /// Every code that may be answered, each once, in the order of `ProblemCode`.
  var allCodes: [ProblemCode] {
    var all = Set(codes)
    if caller != .anybody { all.formUnion(ProblemCode.guarded) }
    if caller == .browser { all.remove(.noDevice) }
    if body != nil { all.formUnion(ProblemCode.body + [.originRefused, .unsupportedMediaType]) }
    return ProblemCode.allCases.filter { all.contains($0) }
  }
}
