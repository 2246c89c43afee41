import FoundationEssentials
import HTTPTypes
import JSON
package import Server

/// A request on its way to a handler, with what most handlers need of it.
package struct ConsoleCall: Sendable {
  package let request: Request
  /// The browser, where its cookie was recognised.
  package let browser: BrowserStore.Browser?
  /// Whether this machine's own browser calls in the name of the user who runs the console, of root, or with the access token.
  let isOwner: Bool
  /// The largest body that this call may carry, in bytes.
  private(set) var bodyLimit = ConsoleCall.strangerBodyLimit

  /// The largest body of a call for a device, in bytes.
  package static let bodyLimit = 1 << 20
  /// The largest body of a call that nobody has shown a device's key for, in bytes.
  package static let strangerBodyLimit = 4 << 10

  /// The call once its device is known.
  var forDevice: ConsoleCall {
    var call = self
    call.bodyLimit = Self.bodyLimit
    return call
  }

  /// A call, of a stranger until its device is known.
  package init(request: Request, browser: BrowserStore.Browser?, isOwner: Bool = false) {
    (self.request, self.browser, self.isOwner) = (request, browser, isOwner)
  }

  /// Throws `notFound` unless the console's owner calls.
  func requireOwner() throws {
    guard isOwner else { throw Problem.notFound }
  }

  /// Reads the body; throws `Problem` where it is not the JSON that the type wants, with the member's name where one is known.
  func body<Body: Decodable & Sendable>(_ type: Body.Type) async throws -> Body {
    let bytes = try await bytes(upTo: bodyLimit)
    do {
      return try JSONCoding.decode(type, from: bytes, keys: .snakeCase)
    } catch {
      let field = error.path.isEmpty ? nil : error.path.snakeCased
      throw Problem.invalidRequest("The body is not the JSON that this route takes.", field: field)
    }
  }

  /// Reads the body's bytes, at least one.
  func bytes(upTo limit: Int) async throws(Problem) -> [UInt8] {
    let bytes: [UInt8]
    do throws(BodyError) {
      bytes = try await request.body.collect(upTo: limit)
    } catch {
      switch error {
      case .tooLarge: throw .payloadTooLarge
      case .overBudget: throw .bodiesOverBudget
      case .disconnected, .malformed, .timedOut: throw .invalidRequest("The body did not arrive whole.")
      }
    }
    guard !bytes.isEmpty else { throw .invalidRequest("The body is missing.") }
    return bytes
  }

  /// The first value of a query parameter.
  func query(_ name: String) -> String? { request.queryPairs().first { $0.0 == name }?.1 }

  /// A query parameter as a whole number of the range; nil where it is not there.
  func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = query(name) else { return nil }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text),
      range.contains(value)
    else { throw Problem.invalidRequest("The parameter \(name) is not a number it may be.", field: name) }
    return value
  }
}

extension Response {
  /// Answers with a value as JSON, never to be stored.
  static func body(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    .json(noStore: try JSONCoding.encode(value, keys: .snakeCase), status: status)
  }

  /// Answers with JSON that is ready.
  static func json(noStore bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    var response = Response.json(bytes, status: status)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Answers that it is done and that there is nothing to say.
  static var noContent: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }

  /// The same answer, which has the browser forget what it cached of this console, so that "back" shows nothing of an account.
  ///
  /// Not its storage: the keys of the browser's other devices live there.
  var clearingCache: Response {
    var response = self
    response.headers[.clearSiteData] = "\"cache\""
    return response
  }
}

extension String {
  /// The name of a property as its member is spelled: `acceptForeign` as `accept_foreign`.
  fileprivate var snakeCased: String {
    reduce(into: "") { text, character in
      if character.isUppercase, !text.isEmpty { text.append("_") }
      text.append(character.lowercased())
    }
  }
}
