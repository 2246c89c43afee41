import JSON
import YAML

/// An OpenAPI document in YAML.
struct YAMLDocument {
  private static let options = YAMLOptions(
    maximumBytes: 4 << 20, maximumNodes: 100_000, maximumDepth: APIContract.maximumDepth, allowsAliases: true)

  private let root: YAMLNode
  /// The same document in JSON.
  let json: [UInt8]

  init(_ bytes: [UInt8]) throws(APIContractError) {
    guard bytes.count <= Self.options.maximumBytes else {
      throw .notYAML(YAMLError(.tooLarge(limit: Self.options.maximumBytes)))
    }
    guard Self.isLikely(bytes) else { throw .notOpenAPI }
    do throws(YAMLError) {
      root = try YAMLNode(parsing: bytes, Self.options)
      json = try Self.json(root).bytes
    } catch {
      throw .notYAML(error)
    }
  }

  /// Whether a line begins with the key of the version; a web page, for example, has none.
  private static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.split(omittingEmptySubsequences: true) { $0 == 0x0a || $0 == 0x0d }.contains { line in
      let start = String(decoding: line.prefix(20), as: UTF8.self).drop { $0 == "\u{FEFF}" || $0 == "\"" || $0 == "'" }
      return start.hasPrefix("openapi") || start.hasPrefix("swagger")
    }
  }

  private static func json(_ node: YAMLNode) throws(YAMLError) -> JSONTree {
    switch node.content {
    case .mapping(let members):
      var result: [JSONTree.Member] = []
      for member in members { result.append(JSONTree.Member(member.key, try json(member.value))) }
      return .object(result)
    case .sequence(let elements):
      var result: [JSONTree] = []
      for element in elements { result.append(try json(element)) }
      return .array(result)
    case .scalar(let scalar):
      switch scalar.value {
      case .null: return .null
      case .bool(let value): return .bool(value)
      case .integer(let digits), .decimal(let digits): return .literal(digits)
      case .notFinite: throw YAMLError(.notFinite, at: node.place)
      case .text: return .string(scalar.text)
      }
    }
  }

  /// The error with the place that its pointer leads to.
  func placed(_ error: APIContractError) -> APIContractError {
    guard let pointer = error.pointer, pointer.hasPrefix("#") else { return error }
    var node = root
    for part in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
      switch node.content {
      case .mapping(let members):
        guard let member = members.first(where: { $0.key == name }) else { return .placed(error, node.place) }
        node = member.value
      case .sequence(let elements):
        guard let index = Int(name), elements.indices.contains(index) else { return .placed(error, node.place) }
        node = elements[index]
      case .scalar: return .placed(error, node.place)
      }
    }
    return .placed(error, node.place)
  }
}
