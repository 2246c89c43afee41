import Yams

/// The limits on a text's content and size.
package struct YAMLOptions: Hashable, Sendable {
  /// The most bytes of the text.
  package var maximumBytes: Int
  /// The most values, with aliases followed; keys are not counted.
  package var maximumNodes: Int
  /// The most levels of sequences and mappings, at most 1,000.
  package var maximumDepth: Int
  /// Whether anchors and aliases are accepted.
  package var allowsAliases: Bool

  package init(maximumBytes: Int, maximumNodes: Int, maximumDepth: Int, allowsAliases: Bool) {
    self.maximumBytes = maximumBytes
    self.maximumNodes = maximumNodes
    self.maximumDepth = maximumDepth
    self.allowsAliases = allowsAliases
  }
}

extension YAMLNode {
  /// Reads a text with one document; an empty text is null.
  package init(parsing bytes: [UInt8], _ options: YAMLOptions) throws(YAMLError) {
    guard bytes.count <= options.maximumBytes else { throw YAMLError(.tooLarge(limit: options.maximumBytes)) }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else { throw YAMLError(.invalidUTF8) }
    guard !YAMLSource.isSlow(content) else { throw YAMLError(.tooDeep) }
    let source = try YAMLSource(text)
    // The anchors of Yams' nodes live as long as their parser.
    let parser: Parser
    let root: Node?
    do {
      parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
      root = try parser.singleRoot()
    } catch { throw source.error(error) }
    guard let root else {
      self.init(content: .scalar(.null), place: YAMLPlace(line: 1, column: 1))
      return
    }
    var reader = YAMLReader(source, options)
    defer { withExtendedLifetime(parser) {} }
    self = try reader.read(root, depth: 0).node
  }
}

/// Converts Yams' nodes to YAML nodes, with aliases followed.
private struct YAMLReader {
  /// A value with its share of the limits.
  struct Measured {
    let node: YAMLNode
    let count: Int
    let height: Int
  }

  private let source: YAMLSource
  private let options: YAMLOptions
  private var cursor: YAMLCursor
  private var anchors: [String: Measured] = [:]
  private var count = 0

  init(_ source: YAMLSource, _ options: YAMLOptions) {
    self.source = source
    self.options = options
    cursor = YAMLCursor(source.text)
  }

  mutating func read(_ node: Node, depth: Int) throws(YAMLError) -> Measured {
    let place = YAMLPlace(node.mark)
    if cursor.isTag(at: place) { throw YAMLError(.tag, at: place) }
    let anchor = node.anchor?.rawValue
    if anchor != nil, !options.allowsAliases { throw YAMLError(.alias, at: place) }
    if case .scalar(let scalar) = node, let name = source.alias(scalar) {
      guard anchor == nil else { throw YAMLError(.syntax("an alias cannot have an anchor"), at: place) }
      return try follow(name, depth: depth, at: place)
    }
    let before = count
    try add(1, at: place)
    var height = 0
    let content: YAMLNode.Content
    switch node {
    case .scalar(let scalar): content = .scalar(try value(of: scalar, at: place))
    case .sequence(let sequence):
      try check(depth + 1, at: place)
      var elements: [YAMLNode] = []
      for element in sequence {
        let element = try read(element, depth: depth + 1)
        elements.append(element.node)
        height = max(height, element.height + 1)
      }
      (content, height) = (.sequence(elements), max(height, 1))
    case .mapping(let mapping):
      try check(depth + 1, at: place)
      var members: [YAMLMember] = []
      for (key, value) in mapping {
        let (name, place) = try self.key(key)
        let value = try read(value, depth: depth + 1)
        members.append(YAMLMember(key: name, place: place, value: value.node))
        height = max(height, value.height + 1)
      }
      (content, height) = (.mapping(members), max(height, 1))
    // Yams composes this kind for its own encoder only.
    case .alias: throw YAMLError(.alias, at: place)
    }
    let result = Measured(node: YAMLNode(content: content, place: place), count: count - before, height: height)
    if let anchor { anchors[anchor] = result }
    return result
  }

  private mutating func key(_ node: Node) throws(YAMLError) -> (String, YAMLPlace) {
    let place = YAMLPlace(node.mark)
    if cursor.isTag(at: place) { throw YAMLError(.tag, at: place) }
    guard case .scalar(let scalar) = node, source.alias(scalar) == nil else { throw YAMLError(.keyIsNotText, at: place) }
    if scalar.style == .plain, scalar.string == "<<" { throw YAMLError(.mergeKey, at: place) }
    if let anchor = scalar.anchor?.rawValue {
      guard options.allowsAliases else { throw YAMLError(.alias, at: place) }
      let value = YAMLNode(content: .scalar(try value(of: scalar, at: place)), place: place)
      anchors[anchor] = Measured(node: value, count: 1, height: 0)
    }
    return (source.restored(scalar.string), place)
  }

  private func value(of scalar: Node.Scalar, at place: YAMLPlace) throws(YAMLError) -> YAMLScalar {
    guard let value = YAMLScalar(source.restored(scalar.string), isPlain: scalar.style == .plain) else {
      throw YAMLError(.numberTooLarge, at: place)
    }
    return value
  }

  private mutating func follow(_ name: String, depth: Int, at place: YAMLPlace) throws(YAMLError) -> Measured {
    guard options.allowsAliases else { throw YAMLError(.alias, at: place) }
    guard let target = anchors[name] else { throw YAMLError(.unknownAnchor(name), at: place) }
    try add(target.count, at: place)
    try check(depth + target.height, at: place)
    return target
  }

  private mutating func add(_ nodes: Int, at place: YAMLPlace) throws(YAMLError) {
    count += nodes
    guard count <= options.maximumNodes else { throw YAMLError(.tooManyNodes(limit: options.maximumNodes), at: place) }
  }

  private func check(_ depth: Int, at place: YAMLPlace) throws(YAMLError) {
    guard depth <= options.maximumDepth else { throw YAMLError(.tooDeep, at: place) }
  }
}

extension YAMLPlace {
  init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
