import HTTPTypes
package import JSON
import Text

/// The values that the requests of a call have captured so far.
package struct CapturedValues: Hashable, Sendable {
  /// Fields of the contract's responses.
  package private(set) var fields: [String: JSONTree] = [:]
  /// Values of the file's own and texts of the contract's, which later requests may use.
  package private(set) var values: [String: String] = [:]
  /// Captures that found no value, which a row shows.
  package private(set) var missing: [FilePlace] = []

  package init() {}

  /// The secret values, by name.
  package var secrets: [SecretValue] {
    values.sorted { $0.key < $1.key }.compactMap { name, value in
      FlowValue.secretKind(name).map { SecretValue(name: name, value: value, kind: $0) }
    }
  }

  mutating func set(_ name: String, _ value: JSONTree) {
    fields[name] = value
    if let text = value.scalarText { values[name] = text }
  }

  mutating func setOwn(_ name: String, _ text: String) { values[name] = text }

  mutating func note(_ place: FilePlace) { missing.append(place) }
}

extension JSONTree {
  /// A string, a number or a Boolean as text; nil for other kinds.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .literal(let source): source == "null" ? nil : source
    case .object, .array: nil
    }
  }
}

/// A response without a required value.
package struct MissingValue: Error, Hashable, Sendable {
  package let name: String
  /// The capture, or the request whose response should contain the value under a usual name.
  package let place: FilePlace
}

extension BackendDefinition {
  /// Captures the values of a successful response to the request at `index` of a call.
  ///
  /// The usual names are read from the response to the last request only. Throws if a value of the file's own is missing.
  package func capture(
    from answer: ReceivedAnswer, toRequest index: Int, of call: CallTemplate, into captured: inout CapturedValues
  ) throws(MissingValue) {
    let request = call.requests[index]
    for capture in request.captures {
      let value = answer.value(of: capture.source)
      if AnswerField.names.contains(capture.name) {
        if let value {
          captured.set(capture.name, Self.value(value, of: capture.name, in: call.name))
        } else if captured.fields[capture.name] == nil {
          captured.note(capture.place)
        }
      } else if let text = value?.scalarText, !text.isEmpty {
        captured.setOwn(capture.name, text)
      } else {
        throw MissingValue(name: capture.name, place: capture.place)
      }
    }
    guard index == call.requests.count - 1 else { return }
    let written = Set(call.requests.flatMap(\.captures).map(\.name))
    // Without its own captures, a refresh uses the login's.
    let borrowed = call.name == .refreshTokens && written.isEmpty ? loginCaptures : []
    for field in call.name.answer where !written.contains(field.name) {
      let sources = borrowed.filter { $0.name == field.name }
      let value =
        sources.lazy.compactMap { answer.value(of: $0.source) }.first
        ?? field.usualNames.lazy.compactMap { answer.usualValue($0) }.first
      if let value { captured.set(field.name, Self.value(value, of: field.name, in: call.name)) }
    }
    for capture in borrowed where !AnswerField.names.contains(capture.name) && captured.values[capture.name] == nil {
      if let text = answer.value(of: capture.source)?.scalarText, !text.isEmpty { captured.setOwn(capture.name, text) }
    }
    guard call.name.role == .login else { return }
    // Names such as `id` may concern the session: for the account, a login uses only the contract's own names.
    for field in AnswerField.account where !written.contains(field.name) {
      if let value = answer.usualValue(field.name) ?? answer.usualValue(SnakeCase.property(field.name)) {
        captured.set(field.name, Self.value(value, of: field.name, in: call.name))
      }
    }
  }

  /// The secrets that a request captures from a response, even if other captures find no value.
  package func secrets(in answer: ReceivedAnswer, to request: RequestTemplate) -> [SecretValue] {
    request.captures.compactMap { capture in
      guard let kind = FlowValue.secretKind(capture.name), let value = answer.value(of: capture.source)?.scalarText,
        !value.isEmpty
      else { return nil }
      return SecretValue(name: capture.name, value: value, kind: kind)
    }
  }

  /// The captures of all logins, in the order of the file.
  private var loginCaptures: [Capture] {
    calls.filter { $0.name.role == .login }.flatMap(\.requests).flatMap(\.captures)
  }

  /// A value as the contract has it: identifiers and names are texts.
  private static func value(_ value: JSONTree, of name: String, in call: CallName) -> JSONTree {
    let fields = call.answer + AnswerField.account
    guard fields.first(where: { $0.name == name })?.kind == .text, let text = value.scalarText else { return value }
    return .string(text)
  }
}

extension ReceivedAnswer {
  /// The value that a capture names; nil if there is none, or if it is null or an empty text.
  func value(of source: Capture.Source) -> JSONTree? {
    switch source {
    case .pointer(let pointer): root.flatMap { pointer.value(in: $0) }.flatMap(Self.present)
    case .header(let name): headers[values: name].first.flatMap { $0.isEmpty ? nil : .string($0) }
    case .cookie(let name):
      headers[values: .setCookie].compactMap(SetCookie.init).last { $0.name == name }?.value.map { .string($0) }
    case .location(let parameter): locationParameter(parameter).flatMap { $0.isEmpty ? nil : .string($0) }
    }
  }

  func usualValue(_ name: String) -> JSONTree? { root?.contentOfEnvelope[name].flatMap(Self.present) }

  private static func present(_ node: JSONNode) -> JSONTree? {
    node.kind == .null || node.kind == .string && node.string?.isEmpty != false ? nil : JSONTree(node)
  }

  /// A parameter of the query of `Location`, else of its fragment.
  private func locationParameter(_ name: String) -> String? {
    guard let location = headers[.location] else { return nil }
    let sides = location.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = sides.first?.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
    let texts = [query, sides.count == 2 ? sides[1] : nil].compactMap { $0.map(String.init) }
    return texts.lazy.compactMap { QueryPairs.parse($0)?.first { $0.0 == name }?.1 }.first
  }
}
