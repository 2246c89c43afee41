import Foundation
import HTTPTypes
import JSON
import Testing

@testable import BackendFile

/// Files and answers that tests are made of.
enum Samples {
  /// The repository's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The names of the files in a folder that end with `ending`, without it, sorted.
  static func names(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).filter { $0.hasSuffix(ending) }
      .map { String($0.dropLast(ending.count)) }.sorted()
  }

  static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: root.appending(path: path))) }

  /// A file of `Documentation/backends`.
  static func documented(_ name: String) throws -> BackendDefinition {
    try BackendDefinition(parsing: bytes("Documentation/backends/\(name).yaml"), file: "\(name).yaml")
  }

  static func definition(_ text: String) throws -> BackendDefinition {
    try BackendDefinition(parsing: Array("understudy: 1\n\(text)".utf8), file: "x.yaml")
  }

  /// A file with one call, whose keys are indented by four.
  static func definition(_ call: CallName, _ keys: String, top: String = "") throws -> BackendDefinition {
    try definition("\(top)\ncalls:\n  \(call.rawValue):\n\(keys)")
  }

  static func answer(_ status: Int, _ body: String = "", headers: HTTPFields = [:]) -> ReceivedAnswer {
    ReceivedAnswer(status: status, headers: headers, document: try? JSONDocument(parsing: Array(body.utf8)))
  }
}

extension BackendDefinition {
  /// Makes the request at `index` of a call.
  func rendered(
    _ call: CallName, _ index: Int = 0, _ values: [String: String] = [:], secrets: [String: String] = [:]
  ) throws -> RenderedRequest {
    let call = try #require(self.call(call))
    return try render(call.requests[index], with: TemplateValues(values: values, secrets: secrets))
  }

  /// What an answer to the only request of a call means.
  func verdict(_ call: CallName, _ answer: ReceivedAnswer) throws -> AnswerVerdict {
    let found = try #require(self.call(call))
    return verdict(on: answer, to: try #require(found.requests.last), of: call)
  }

  /// The word for an answer that is an error; nil if the call failed without one, or succeeded.
  func word(_ call: CallName, _ answer: ReceivedAnswer) throws -> ErrorWord? {
    guard case .failure(let failure) = try verdict(call, answer), case .word(let word) = failure.meaning else { return nil }
    return word
  }

  /// What the only request of a call captures.
  func captured(_ call: CallName, _ answer: ReceivedAnswer) throws -> CapturedValues {
    let call = try #require(self.call(call))
    var captured = CapturedValues()
    try capture(from: answer, toRequest: call.requests.count - 1, of: call, into: &captured)
    return captured
  }

  /// The contract's answer to a call of one request.
  func contract(_ call: CallName, _ answer: ReceivedAnswer) throws -> JSONTree {
    try self.answer(to: try #require(self.call(call)), from: try captured(call, answer))
  }
}
