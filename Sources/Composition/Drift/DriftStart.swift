import Client
import Console
import Logging
import OpenAPI
import Redaction

/// Supplies a console's drift detector with its document: the one in the settings, or else the backend's own.
struct DriftStart: Sendable {
  /// Where a backend publishes its own document.
  private static let ownPath = "/swagger.json"

  let detector: DriftDetector
  private let source: OpenAPISource?
  private let backend: BackendDependencies
  private let client: ToolClient
  private let logger: Logger

  /// `rules` mask the row of the fetch.
  init(_ source: OpenAPISource?, backend: BackendDependencies, rules: RedactionRules, logger: Logger) {
    client = ToolClient(
      backend: backend.link, transport: backend.transport.transport, signingKey: backend.signingKey,
      rules: rules, logger: logger)
    detector = DriftDetector(source: source?.name ?? backend.link.origin + Self.ownPath, toolLog: client.log)
    self.source = source
    self.backend = backend
    self.logger = logger
  }

  /// Starts the comparison, or fetches the document in the background first. The task ends when the comparison has started or is
  /// off.
  func run() -> Task<Void, Never>? {
    if case .file(let file) = source {
      detector.start(file.contract)
      return nil
    }
    // A backend file names every request to its backend.
    if source == nil, backend.link.file != nil {
      detector.turnOff(.notPublished, detail: "a backend file needs --openapi")
      return nil
    }
    return Task.detached(priority: .utility) { await fetch() }
  }

  private func fetch() async {
    do throws(OpenAPIFetch.Failure) {
      let content =
        if case .url(let url) = source {
          try await OpenAPIFetch.content(of: url, backend: backend.link.origin, by: client, like: backend.configuration)
        } else {
          try await client.document(path: Self.ownPath, limit: APIContract.maximumBytes)
        }
      do throws(APIContractError) { detector.start(try APIContract(parsing: content)) } catch {
        end(.invalid, error.line)
      }
    } catch {
      // Another status, such as 403, does not show that there is none.
      let isAbsent = source == nil && [.status(404), .status(410)].contains(error)
      end(isAbsent ? .notPublished : .unreachable, error.text)
    }
  }

  private func end(_ reason: DriftDetector.Reason, _ detail: String) {
    detector.turnOff(reason, detail: detail)
    // A backend without a document is normal; a missing document of a flag is not.
    let level: Logger.Level = source == nil ? .info : .warning
    logger.log(
      level: level, "calls are not compared with an OpenAPI document", metadata: ["reason": "\(reason.rawValue): \(detail)"])
  }
}
