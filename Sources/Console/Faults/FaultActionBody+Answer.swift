import Client
import HTTPTypes

extension FaultActionBody {
  /// The response of an `answer` rule; throws `invalid_request` with the member that is wrong, or `not_replayable` if the secret of
  /// a mask is no longer known.
  func answer(masks: MaskFilling) throws(Problem) -> FaultAnswer {
    guard let status else { throw .invalidRequest("An answer needs a status.", field: "action.status") }
    let lines = headers ?? []
    guard lines.count <= FaultAnswer.headerLimit else {
      throw .invalidRequest("An answer has at most \(FaultAnswer.headerLimit) header fields.", field: "action.headers")
    }
    var fields: [FaultAnswer.Header] = []
    for line in lines { fields.append(try Self.header(line, masks)) }
    let body = try body.map { (text) throws(Problem) in try masks.text(text, .json, field: "action.body") }
    if let body, body.value.utf8.count > FaultAnswer.bodyLimit {
      throw .invalidRequest("The body of an answer has at most \(FaultAnswer.bodyLimit >> 10) KiB.", field: "action.body")
    }
    return FaultAnswer(status: status, headers: fields, body: body.flatMap { $0.value.isEmpty ? nil : $0 })
  }

  private static func header(_ line: [String], _ masks: MaskFilling) throws(Problem) -> FaultAnswer.Header {
    guard line.count == 2 else {
      throw .invalidRequest("A header field is a pair of a name and a value.", field: "action.headers")
    }
    guard let name = HTTPField.Name(line[0]), !name.isPseudo else {
      throw .invalidRequest("The name of a header field is a token (RFC 9110).", field: "action.headers")
    }
    guard !FaultAnswer.refusedHeaders.contains(name.canonicalName) else {
      throw .invalidRequest(
        "The header field \(name.canonicalName) belongs to the connection or follows from the body.", field: "action.headers")
    }
    let value = try masks.text(line[1], .plain, field: "action.headers")
    // White space around a value would be lost on the wire.
    let isTrimmed = value.value.utf8.first.map { $0 != 0x20 && $0 != 0x09 } ?? true
    guard value.value.utf8.count <= FaultAnswer.headerValueLimit, isTrimmed, HTTPField.isValidValue(value.value) else {
      throw .invalidRequest(
        "The value of the header field \(name.canonicalName) is not valid (RFC 9110).", field: "action.headers")
    }
    return FaultAnswer.Header(name: name, value: value)
  }
}

extension HTTPField.Name {
  fileprivate var isPseudo: Bool { rawName.hasPrefix(":") }
}
