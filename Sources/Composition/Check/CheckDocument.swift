import Client
import Console
import Logging
import Observability
import OpenAPI
import Redaction

/// The OpenAPI document of a run, and the comparison of the run's exchanges with it.
struct CheckDocument: Sendable {
  let file: OpenAPIFile
  let detector: DriftDetector

  /// Reads the document of the settings; nil without one. Throws `StartFailure`: 69 if a URL cannot be fetched, 66 if what it
  /// returned is no OpenAPI document.
  static func open(_ source: OpenAPISource?, for backend: CheckTarget, logger: Logger) async throws(StartFailure)
    -> CheckDocument?
  {
    switch source {
    case nil: return nil
    case .file(let file): return CheckDocument(file)
    case .url(let url):
      let content: [UInt8]
      let client = ToolClient(
        backend: backend.link, transport: backend.network.transport, apiID: backend.apiID, apiSecret: backend.apiSecret,
        rules: .all, logger: logger)
      do throws(OpenAPIFetch.Failure) {
        content = try await OpenAPIFetch.content(of: url, backend: backend.link.origin, by: client, like: backend.configuration)
      } catch {
        throw .unavailable("--openapi: \(url.name) cannot be fetched: \(error.text)")
      }
      return CheckDocument(try OpenAPIFile(path: url.name, name: url.name, bytes: content))
    }
  }

  private init(_ file: OpenAPIFile) {
    self.file = file
    // Nothing may be left out of a report, and a run is short.
    detector = DriftDetector(source: file.name, comparer: ExchangeComparer(rowLimit: 100_000, byteLimit: 256 << 20))
    detector.start(file.contract)
  }
}
