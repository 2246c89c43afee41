import Client
import Console
import HTTPTypes
import OpenAPI

/// Fetches an OpenAPI document from a backend or another server.
enum OpenAPIFetch {
  /// Why there is no document.
  enum Failure: Error, Hashable {
    /// The server's status was not 200.
    case status(Int)
    /// There was no usable response.
    case failed(NetworkError)

    /// A few words for people.
    var text: String {
      switch self {
      case .status(let status): "status \(status)"
      case .failed(let error): error.word
      }
    }
  }

  /// The longest time to fetch a document.
  private static let limit = Duration.seconds(30)

  /// Fetches the content of a URL, unsigned, once and without following redirects.
  private static func content(of url: String, over transport: Transport) async throws(Failure) -> [UInt8] {
    var request = TransportRequest(
      method: .get, url: url, headers: [.accept: "application/json, application/yaml", .userAgent: "understudy/\(Version.text)"],
      idleTimeout: .seconds(10), deadline: .now + limit, isReplayable: true, responseLimit: APIContract.maximumBytes)
    // Settings admit `http` for this machine only.
    request.allowsPlainText = true
    let response: TransportResponse
    do { response = try await transport.send(request) } catch { throw .failed(NetworkError(error)) }
    guard response.status == 200 else { throw .status(response.status) }
    return response.body
  }

  /// Fetches a document of `--openapi`.
  ///
  /// At the backend's own origin, it sends the request like the console's other calls. Elsewhere, the request is unsigned, with
  /// the system's trust, no pins, and the same proxy unless the server is on this machine.
  static func content(
    of url: OpenAPIURL, backend origin: String, by client: ToolClient, like configuration: TransportConfiguration
  ) async throws(Failure) -> [UInt8] {
    if url.origin.text == origin {
      return try await client.document(path: url.path, query: url.query, limit: APIContract.maximumBytes)
    }
    var own = configuration
    own.responseLimit = APIContract.maximumBytes
    own.trust = .system
    own.pins = []
    if url.origin.isLoopback { own.proxy = .none }
    let transport: RotatingTransport
    do { transport = try RotatingTransport(own) } catch { throw .failed(NetworkError(error)) }
    do throws(Failure) {
      let content = try await content(of: url.text, over: transport.transport)
      await transport.shutdown()
      return content
    } catch {
      await transport.shutdown()
      throw error
    }
  }
}
