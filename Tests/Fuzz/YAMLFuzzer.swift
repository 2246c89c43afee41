@testable import YAML

/// Whatever a text is, reading it ends within the limits, with places inside the text, and says the same a second time.
enum YAMLFuzzer {
  private static let options = YAMLOptions(maximumBytes: 2048, maximumNodes: 500, maximumDepth: 30, allowsAliases: true)

  static func run(_ bytes: [UInt8]) {
    let first = read(bytes)
    require(first == read(bytes), "another result the second time")
    let lines = bytes.count + 1
    switch first {
    case .success(let root): require(count(root, lines) <= options.maximumNodes, "more values than the limit")
    case .failure(let error): require((1...lines).contains(error.place?.line ?? 1), "an error in line \(error.place?.line ?? 0)")
    }
  }

  private static func read(_ bytes: [UInt8]) -> Result<YAMLNode, YAMLError> {
    Result { () throws(YAMLError) in try YAMLNode(parsing: bytes, options) }
  }

  private static func count(_ node: YAMLNode, _ lines: Int) -> Int {
    require((1...lines).contains(node.place.line) && node.place.column >= 1, "a value at \(node.place)")
    switch node.content {
    case .scalar: return 1
    case .sequence(let elements): return elements.reduce(1) { $0 + count($1, lines) }
    case .mapping(let members): return members.reduce(1) { $0 + count($1.value, lines) }
    }
  }
}
