package import JSON
package import YAML

/// Why a document cannot be compared with traffic; `description` is one line.
package indirect enum APIContractError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The document is larger than ``APIContract/maximumBytes``.
  case tooLarge
  /// The document has more values or schemas than the limits allow.
  case tooManyValues
  /// The document has more `$id` or `$dynamicAnchor` than the limits allow, or a URI that is too long.
  case tooManyIdentifiers
  /// The document is not JSON.
  case notJSON(JSONError)
  /// The document is YAML that cannot be read.
  case notYAML(YAMLError)
  /// An error of a YAML document, with its place.
  case placed(APIContractError, YAMLPlace)
  /// The document has no `openapi` member.
  case notOpenAPI
  /// A version other than OpenAPI 3.0 and 3.1, such as `Swagger 2.0`.
  case unsupportedVersion(String)
  /// A member has the wrong type or value; the pointer leads to it.
  case invalid(pointer: String, expected: String)
  /// A reference within the document has no target.
  case unresolvedReference(String, pointer: String)
  /// A schema refers to itself without a member or element in between, so that no value can be checked against it.
  case circularReference(pointer: String)

  package var description: String {
    switch self {
    case .tooLarge: "The OpenAPI document is larger than \(APIContract.maximumBytes >> 20) MiB."
    case .tooManyValues:
      "The OpenAPI document has too many values, schemas, paths or operations."
    case .tooManyIdentifiers:
      "The OpenAPI document has more than \(SchemaIndex.maximumIdentifiers) $id or $dynamicAnchor keywords, or one that is too long."
    case .notJSON(let error): "The OpenAPI document is not valid JSON: \(error.reason.words), at byte \(error.offset)."
    case .notYAML(let error): "The OpenAPI document cannot be read as YAML: \(Self.line(error.description))."
    case .placed(let error, let place): "\(error.description.dropLast()), at \(place)."
    case .notOpenAPI: "The document is not an OpenAPI document: it has no openapi member."
    case .unsupportedVersion(let version): "\(version) is not supported; the document must be OpenAPI 3.0 or 3.1."
    case .invalid(let pointer, let expected): "The OpenAPI document is invalid at \(pointer): expected \(expected)."
    case .unresolvedReference(let reference, let pointer):
      "The OpenAPI document has no \(Self.line(reference)), which \(Self.line(pointer)) refers to."
    case .circularReference(let pointer):
      "The OpenAPI document is circular: the schema at \(Self.line(pointer)) refers to itself without a member or element in between."
    }
  }

  /// The JSON pointer to the error in the document; nil without one.
  var pointer: String? {
    switch self {
    case .invalid(let pointer, _), .unresolvedReference(_, let pointer), .circularReference(let pointer): pointer
    default: nil
    }
  }

  private static func line(_ text: String) -> String { DocumentText.line(text, limit: 300) }
}
