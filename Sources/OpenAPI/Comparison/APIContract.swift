import JSON

/// A parsed OpenAPI 3.0 or 3.1 document that traffic is compared with.
package struct APIContract: Sendable {
  /// The largest document in bytes.
  package static let maximumBytes = 32 << 20
  /// The most values that a document may have.
  package static let maximumValues = 2_000_000
  /// The most levels that a document may have.
  static let maximumDepth = 512
  /// The most schemas that a document may have.
  package static let maximumSchemas = 200_000
  /// The most paths that a document may have.
  static let maximumPaths = 50_000

  /// The title of the API.
  package let title: String
  /// The version of the API.
  package let version: String
  /// The number of operations.
  package let operationCount: Int
  /// The parts of the document that are not compared, such as external references and regular expressions that do not compile:
  /// one line each of at most 300 Unicode scalars, at most 100.
  package let notes: [String]
  let tables: ContractTables

  /// Parses a document in JSON or YAML. Takes about a second for 10 MB, so it belongs off the event loops.
  package init(parsing bytes: [UInt8]) throws(APIContractError) {
    guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
    if Self.startsAsJSON(bytes) {
      try self.init(json: bytes)
      return
    }
    let document = try YAMLDocument(bytes)
    do throws(APIContractError) { try self.init(json: document.json) } catch { throw document.placed(error) }
  }

  private init(json bytes: [UInt8]) throws(APIContractError) {
    guard Self.separatorCount(bytes) <= Self.maximumValues else { throw .tooManyValues }
    let tokens: JSONDocument
    do { tokens = try JSONDocument(parsing: bytes, maximumDepth: Self.maximumDepth) } catch { throw .notJSON(error) }
    var reader = ContractReader(tokens, dialect: try Self.dialect(of: tokens))
    let info = tokens.member("info", of: 0)
    title = Self.line(tokens.string(tokens.member("title", of: info)))
    version = Self.line(tokens.string(tokens.member("version", of: info)))
    (tables, notes) = try reader.read()
    operationCount = tables.operations.count
  }

  /// The differences between an exchange and the document, at most 50; empty if there are none.
  ///
  /// Time and memory are bounded whatever the document and the exchange. If a bound is reached, returns the differences found
  /// before.
  package func differences(in exchange: ObservedExchange) -> [Drift] {
    var comparison = ExchangeComparison(tables, exchange)
    return comparison.run()
  }

  /// Whether the document gives a parameter, a header or a member a name that does not look like an identifier of a program, such
  /// as `filter[x]` or `@type`. Such a name is not secret.
  package func declaresNonIdentifierName(_ name: String) -> Bool { tables.nonIdentifierNames.contains(name) }

  private static func startsAsJSON(_ bytes: [UInt8]) -> Bool {
    bytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
  }

  /// A lower bound of the number of values, found before memory is spent on them.
  private static func separatorCount(_ bytes: [UInt8]) -> Int {
    bytes.reduce(0) { count, byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): count + 1
      default: count
      }
    }
  }

  private static func dialect(of tokens: JSONDocument) throws(APIContractError) -> SchemaCompiler.Dialect {
    if let swagger = tokens.string(tokens.member("swagger", of: 0)) { throw .unsupportedVersion("Swagger \(line(swagger))") }
    guard let member = tokens.member("openapi", of: 0) else { throw .notOpenAPI }
    guard let version = tokens.string(member) else { throw .invalid(pointer: "#/openapi", expected: "string") }
    if version.hasPrefix("3.0") { return .openAPI30 }
    if version.hasPrefix("3.1") { return .draft2020 }
    throw .unsupportedVersion("OpenAPI \(line(version))")
  }

  private static func line(_ text: String?) -> String { DocumentText.line(text ?? "", limit: 120) }
}

/// Texts of a document for lines that people read.
enum DocumentText {
  /// The start of a text, without control characters and line ends; the limit counts Unicode scalars.
  static func line(_ text: String, limit: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(limit).filter {
          switch $0.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}
