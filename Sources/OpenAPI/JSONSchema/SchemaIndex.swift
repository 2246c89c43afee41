import JSON
import Text

/// Documents with their schema resources, and the identifiers of schemas: `$id`, `$anchor` and `$dynamicAnchor` (JSON Schema Core
/// §8.2).
struct SchemaIndex {
  /// A value of a document.
  struct Location: Hashable {
    let document: Int
    let token: Int
  }

  /// A schema with its own URI, and its parts.
  struct Resource {
    let uri: URIReference
    let root: Location
    var anchors: [String: Location] = [:]
    var dynamicAnchors: [String: Location] = [:]
    /// The schemas with dynamic anchors, in the order in which they were found.
    var dynamicAnchorSchemas: [Location] = []
    /// Whether its meta-schema includes the vocabulary for validation.
    var usesValidation: Bool
  }

  /// The target of a reference.
  enum Target {
    case schema(Location)
    /// An unknown document.
    case external
    /// None in a known document.
    case nothing
  }

  /// The most resources, and the most dynamic anchors.
  static let maximumIdentifiers = 10_000
  /// The longest URI of a resource and the longest dynamic anchor, in bytes.
  private static let maximumIdentifierLength = 4096

  private static let schemaKeywords: Set<String> = [
    "additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema",
  ]
  private static let listKeywords: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let mapKeywords: Set<String> = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]
  private static let validation = "https://json-schema.org/draft/2020-12/vocab/validation"

  /// Whether schemas can identify themselves; they cannot in OpenAPI 3.0.
  private let hasIdentifiers: Bool
  private(set) var documents: [JSONDocument] = []
  private(set) var resources: [Resource] = []
  /// For each document, the resource of each token that was visited as a schema; -1 for others.
  private var resourceOf: [[Int32]] = []
  private var resourceNumbers: [String: Int] = [:]
  private var pointers = PointerResolver()
  private var dynamicAnchorCount = 0
  /// Whether a limit of identifiers was passed, so that the index is incomplete.
  private(set) var hasTooManyIdentifiers = false

  init(hasIdentifiers: Bool) { self.hasIdentifiers = hasIdentifiers }

  /// Adds a document under the URI that it was retrieved from, as a schema or as a document with schemas in it; returns its number.
  mutating func add(_ source: JSONDocument, uri: String, isSchema: Bool) -> Int {
    let document = documents.count
    documents.append(source)
    resourceOf.append(Array(repeating: -1, count: source.tokens.count))
    let base = URIReference(uri)
    let root = Location(document: document, token: 0)
    let number = addResource(base, root: root, parent: nil)
    if isSchema { visit(root, resource: number) }
    return document
  }

  /// The resource of a schema, which belongs to its document if it was not visited before.
  mutating func resource(of location: Location) -> Int {
    if resourceOf[location.document][location.token] < 0 {
      let root = resources.firstIndex { $0.root == Location(document: location.document, token: 0) } ?? 0
      visit(location, resource: root)
    }
    return Int(resourceOf[location.document][location.token])
  }

  /// The target of a reference in a resource.
  mutating func target(of reference: String, in resource: Int) -> Target {
    let uri = resources[resource].uri.resolving(URIReference(reference))
    guard let number = resourceNumbers[uri.withoutFragment] else { return .external }
    let fragment = uri.fragment.map { PercentCoding.decodeLeniently($0) } ?? ""
    let root = resources[number].root
    if !fragment.isEmpty, !fragment.hasPrefix("/") {
      return resources[number].anchors[fragment].map { .schema($0) } ?? .nothing
    }
    guard let path = pointers.path(fragment, from: root, in: documents[root.document]), let last = path.last else {
      return .nothing
    }
    if resourceOf[root.document][last] < 0 {
      let nearest = path.last { resourceOf[root.document][$0] >= 0 }
      let base = nearest.map { Int(resourceOf[root.document][$0]) } ?? number
      visit(Location(document: root.document, token: last), resource: base)
    }
    return .schema(Location(document: root.document, token: last))
  }

  private mutating func addResource(_ uri: URIReference, root: Location, parent: Int?) -> Int {
    let number = resources.count
    resources.append(Resource(uri: uri, root: root, usesValidation: parent.map { resources[$0].usesValidation } ?? true))
    if resourceNumbers[uri.withoutFragment] == nil { resourceNumbers[uri.withoutFragment] = number }
    return number
  }

  /// Finds the identifiers in a schema and the schemas within it.
  private mutating func visit(_ start: Location, resource: Int) {
    var stack = [(start, resource)]
    while !hasTooManyIdentifiers, let (location, outer) = stack.popLast() {
      var resource = outer
      guard resourceOf[location.document][location.token] < 0 else { continue }
      let tokens = documents[location.document]
      let members = tokens.members(of: location.token).map { (tokens.text($0.key), $0.value) }
      if hasIdentifiers { resource = identify(location, Dictionary(members) { first, _ in first }, in: resource) }
      resourceOf[location.document][location.token] = Int32(clamping: resource)
      for (name, value) in members {
        var children: [Int] = []
        if Self.schemaKeywords.contains(name) { children = [value] }
        if Self.listKeywords.contains(name) { children = tokens.elements(of: value) }
        if Self.mapKeywords.contains(name) { children = tokens.members(of: value).map(\.value) }
        for child in children { stack.append((Location(document: location.document, token: child), resource)) }
      }
    }
  }

  /// Records the identifiers of a schema; returns the resource that it belongs to.
  private mutating func identify(_ location: Location, _ members: [String: Int], in parent: Int) -> Int {
    let tokens = documents[location.document]
    var resource = parent
    if let id = tokens.string(members["$id"]) {
      var uri = resources[parent].uri.resolving(URIReference(id))
      uri.fragment = nil
      guard resources.count < Self.maximumIdentifiers, uri.withoutFragment.utf8.count <= Self.maximumIdentifierLength else {
        hasTooManyIdentifiers = true
        return parent
      }
      if uri != resources[parent].uri {
        resource = addResource(uri, root: location, parent: parent)
        // The document itself, under the URI that it was retrieved from.
        if resources[parent].root == location { resourceNumbers[resources[parent].uri.withoutFragment] = resource }
      }
    }
    if resources[resource].root == location, let schema = tokens.string(members["$schema"]) {
      resources[resource].usesValidation = usesValidation(schema)
    }
    if let anchor = tokens.string(members["$anchor"]) { resources[resource].anchors[anchor] = location }
    if let anchor = tokens.string(members["$dynamicAnchor"]) {
      dynamicAnchorCount += 1
      guard dynamicAnchorCount <= Self.maximumIdentifiers, anchor.utf8.count <= Self.maximumIdentifierLength else {
        hasTooManyIdentifiers = true
        return resource
      }
      resources[resource].dynamicAnchorSchemas.append(location)
      resources[resource].anchors[anchor] = location
      resources[resource].dynamicAnchors[anchor] = location
    }
    return resource
  }

  private func usesValidation(_ metaschema: String) -> Bool {
    guard let number = resourceNumbers[URIReference(metaschema).withoutFragment] else { return true }
    let root = resources[number].root
    let tokens = documents[root.document]
    guard let vocabulary = tokens.member("$vocabulary", of: root.token) else { return true }
    return tokens.member(Self.validation, of: vocabulary) != nil
  }
}
