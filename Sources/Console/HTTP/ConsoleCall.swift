package import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
package import Server
import Text

/// A request with its sender, as a handler gets it.
package struct ConsoleCall: Sendable {
  /// Responds to another request as the console does.
  typealias Respond = @Sendable (Request) async -> Response

  package let request: Request
  /// The browser, if its cookie is known.
  package let browser: BrowserStore.Browser?
  /// The person whom the proxy names; nil without one.
  package let person: Person?
  /// Whether a browser on this machine calls as the user who runs the console, as root, or with the access token, or a person who
  /// is an owner.
  let isOwner: Bool
  private let accessPolicy: any DeviceAccessPolicy
  /// Sends a request through the console's own gate and routes.
  let respond: Respond
  /// The console's pages.
  private let pages: StaticFiles
  /// The schema that validates the body.
  private let schema: RequestSchema
  /// The largest body that this call may carry, in bytes.
  private var bodyLimit = ConsoleCall.bodyLimitWithoutDevice

  /// The largest body of a call for a device, in bytes.
  package static let bodyLimit = 1 << 20
  /// The largest body of a call that does not show a device's key, in bytes.
  package static let bodyLimitWithoutDevice = 4 << 10

  /// The call after its device was found.
  var forDevice: ConsoleCall {
    var call = self
    call.bodyLimit = Self.bodyLimit
    return call
  }

  /// The page that shows an export; nil if the pages have none.
  var viewer: ViewerPage? { ConsolePages.viewer(of: pages) }

  init(
    request: Request, schema: RequestSchema, pages: StaticFiles, browser: BrowserStore.Browser?, person: Person? = nil,
    isOwner: Bool = false, accessPolicy: any DeviceAccessPolicy = SingleUserAccess(), respond: @escaping Respond
  ) {
    self.schema = schema
    self.pages = pages
    self.request = request
    self.browser = browser
    self.person = person
    self.isOwner = isOwner
    self.respond = respond
    self.accessPolicy = accessPolicy
  }

  /// Which recordings the caller sees, and which may be changed.
  func recordingScope() async throws -> RecordingScope {
    RecordingScope(access: try await accessPolicy.access(of: person), home: person?.id)
  }

  /// Throws `notFound` unless the console's owner calls.
  func requireOwner() throws {
    guard isOwner else { throw Problem.notFound }
  }

  /// Decodes the body; throws `Problem` with the field's name if the body does not fit the route's schema or the type. The
  /// handler checks the excepted fields itself and reports its own problem for them.
  func body<Body: Decodable & Sendable>(_ type: Body.Type, except judged: Set<String> = []) async throws -> Body {
    try Self.decode(type, from: try await bytes(upTo: bodyLimit), schema, except: judged)
  }

  /// Reads a body that fits the route's schema; throws `Problem` as `body(_:)`.
  func document(upTo limit: Int) async throws -> JSONDocument {
    try Self.document(try await bytes(upTo: limit), schema)
  }

  private static func document(
    _ bytes: [UInt8], _ schema: RequestSchema, except judged: Set<String> = []
  ) throws(Problem) -> JSONDocument {
    do {
      let document = try JSONDocument(parsing: bytes)
      try schema.check(document, except: judged)
      return document
    } catch let error as RequestSchema.Difference {
      throw .invalidRequest(error.text, field: error.field)
    } catch {
      throw .invalidRequest(unexpected)
    }
  }

  private static let unexpected = "The body is not the JSON that this route expects."

  /// Decodes a value that fits a schema; throws `Problem` as `body(_:)`.
  static func decode<Body: Decodable>(
    _ type: Body.Type, from bytes: [UInt8], _ schema: RequestSchema, except judged: Set<String> = []
  ) throws(Problem) -> Body {
    let document = try document(bytes, schema, except: judged)
    do throws(JSONError) {
      return try JSONCoding.decode(type, from: document, keys: .snakeCase)
    } catch {
      throw .invalidRequest(unexpected, field: error.path.isEmpty ? nil : error.path.snakeCased)
    }
  }

  /// Reads the body, which must not be empty.
  private func bytes(upTo limit: Int) async throws(Problem) -> [UInt8] {
    let bytes: [UInt8]
    do throws(BodyError) {
      bytes = try await request.body.collect(upTo: limit)
    } catch {
      switch error {
      case .tooLarge: throw .payloadTooLarge
      case .overBudget: throw .bodiesOverBudget
      case .disconnected, .malformed, .timedOut: throw .invalidRequest("The body did not arrive completely.")
      }
    }
    guard !bytes.isEmpty else { throw .invalidRequest("The body is missing.") }
    return bytes
  }

  /// The first value of a query parameter.
  func query(_ name: String) -> String? { request.queryPairs().first { $0.0 == name }?.1 }

  /// A query parameter as a whole number in the range; nil if it is missing.
  func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = query(name) else { return nil }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ ASCII.isDigit($0) }), let value = Int(text),
      range.contains(value)
    else { throw Problem.invalidRequest("The parameter \(name) is not a number in its range.", field: name) }
    return value
  }
}

extension Response {
  /// Answers with a value as JSON, never to be stored.
  static func body(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    .json(noStore: try JSONCoding.encode(value, keys: .snakeCase), status: status)
  }

  /// Answers with JSON that is already encoded.
  static func json(noStore bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    var response = Response.json(bytes, status: status)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Answers 204 without a body.
  static var noContent: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }

  /// A 204 that makes the browser clear its cache of this console, so that "back" does not show an account.
  ///
  /// Storage is kept: it contains the keys of the browser's other devices.
  var clearingCache: Response {
    var response = self
    response.headers[.clearSiteData] = "\"cache\""
    return response
  }
}

extension String {
  /// The name of a property in snake_case: `acceptForeign` as `accept_foreign`.
  fileprivate var snakeCased: String {
    reduce(into: "") { text, character in
      if character.isUppercase, !text.isEmpty { text.append("_") }
      text.append(character.lowercased())
    }
  }
}
