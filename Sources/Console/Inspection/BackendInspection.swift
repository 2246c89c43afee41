import Client
import Foundation
import HTTPTypes
import JSON
import Locking
import OpenAPI
import RPC
import Text

/// A check of a backend that its owner may want to use: whether it responds, its certificate, its clock, and which calls it
/// lacks.
///
/// It sends HEAD requests without a session, so that nothing changes there and no body comes back.
struct BackendInspection: Sendable {
  /// The results of the check; the only text of the backend is its certificate's names.
  struct Facts: Codable, Hashable, Sendable, SchemaProvider {
    /// How the connection ended.
    enum Outcome: String, Codable, CaseIterable, Sendable {
      case answers
      case unknownHost = "unknown_host"
      case noConnection = "no_connection"
      case timedOut = "timed_out"
      /// Its certificate is not trusted.
      case untrusted
      /// It does not speak TLS, or not a version that is accepted.
      case noTLS = "no_tls"
      /// It speaks TLS, but no HTTP.
      case noHTTP = "no_http"
      case failed
    }

    /// The certificate, trusted or not.
    struct Certificate: Codable, Hashable, Sendable {
      let subject: String
      let issuer: String
      let validFrom: Timestamp?
      let validUntil: Timestamp?
      let pin: String?
      /// Why it is not trusted.
      let problem: String?
    }

    let url: String
    let outcome: Outcome
    var certificate: Certificate?
    /// By how many seconds the backend's clock is ahead.
    var clockAheadSeconds: Int64?
    /// The contract's calls that it has no path for.
    var missing: [String] = []

    static let wrongName = "wrong_name"

    static var schema: Schema {
      .recorded(from: Self.self).refined([
        "outcome": .oneOf(Outcome.allCases.map(\.rawValue)),
        "certificate.problem": .oneOf(ServedCertificate.Fault.allCases.map(\.rawValue) + [wrongName]),
        "missing[]": .oneOf(calls.map(\.name)),
      ])
    }
  }

  /// The contract's calls, by which a backend is judged.
  static let calls: [(name: String, path: String)] = EndpointCatalogue.all.map { $0.path }
    .filter { $0.hasPrefix("/rpc/") || $0 == AuthEndpoints.Logout.path }
    .map { ($0.split(separator: "/").last.map(String.init) ?? $0, $0) }

  /// The longest that an inspection takes.
  private static let limit = Duration.seconds(15)

  let origin: Origin
  let version: String

  /// Connects as a console with `--backend` and the system's authorities would.
  func facts() async -> Facts {
    let certificate = Locked<ServedCertificate?>(nil)
    // A HEAD's response has no body, and libcurl rejects one whose `Content-Length` is above the limit.
    let configuration = TransportConfiguration(connectTimeout: .seconds(8), responseLimit: 1 << 30)
    guard
      let transport = try? CurlTransport(configuration, onCertificate: { served in certificate.withLock { $0 = served } })
    else { return Facts(url: origin.text, outcome: .failed) }
    let facts = await facts(over: transport.transport, now: { Int64(Date().timeIntervalSince1970) }) {
      certificate.withLock(\.self)
    }
    await transport.shutdown()
    return facts
  }

  /// The same over another transport; `certificate` is that of the last connection, and `now` gives this machine's Unix time.
  func facts(over transport: Transport, now: () -> Int64, certificate: () -> ServedCertificate?) async -> Facts {
    let deadline = ContinuousClock.now + Self.limit
    let first: TransportResponse
    do { first = try await transport.send(request(AppEndpoints.AppConfig.path, deadline)) } catch {
      return failure(error, certificate())
    }
    // Read when the response has arrived: otherwise a slow backend's clock would appear to be ahead.
    let now = now()
    var facts = Facts(url: origin.text, outcome: .answers, certificate: certificate().map { Self.certificate($0, nil) })
    if let date = first.headers[.date].flatMap({ HTTPDate.parse($0, now: now) }) { facts.clockAheadSeconds = date - now }
    let missing = await withTaskGroup(of: String?.self) { group in
      for call in Self.calls {
        group.addTask {
          let response =
            call.path == AppEndpoints.AppConfig.path ? first : try? await transport.send(request(call.path, deadline))
          return response.map(Self.isMissing) == true ? call.name : nil
        }
      }
      return await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
    }
    facts.missing = Self.calls.map(\.name).filter(missing.contains)
    return facts
  }

  private func request(_ path: String, _ deadline: ContinuousClock.Instant) -> TransportRequest {
    TransportRequest(
      method: .head, url: origin.text + path, headers: [.userAgent: "understudy/\(version)"], idleTimeout: .seconds(8),
      deadline: deadline, isReplayable: true)
  }

  /// Whether a response shows that a path has no call: by its status, as a redirect, or as a page.
  static func isMissing(_ response: TransportResponse) -> Bool {
    switch response.status {
    case 404, 410, 300..<400: true
    case 200..<300: response.headers[.contentType]?.lowercased().hasPrefix("text/html") == true
    default: false
    }
  }

  private func failure(_ error: TransportError, _ served: ServedCertificate?) -> Facts {
    var outcome = Facts.Outcome.failed
    var fault = String?.none
    switch error {
    case .offline(.cannotFindHost), .offline(.dnsLookupFailed): outcome = .unknownHost
    case .offline: outcome = .noConnection
    case .timedOut: outcome = .timedOut
    case .tls(let text):
      outcome = served == nil ? .noTLS : .untrusted
      // The chain may be trusted; libcurl compares the names after it.
      if served?.fault == nil { fault = text.contains("subject name") ? Facts.wrongName : ServedCertificate.Fault.other.rawValue }
    case .connectionLost: outcome = served == nil ? .noTLS : .noHTTP
    case .malformedResponse, .responseTooLarge: outcome = .noHTTP
    case .pinMismatch, .cancelled, .invalidURL: break
    }
    return Facts(url: origin.text, outcome: outcome, certificate: served.map { Self.certificate($0, fault) })
  }

  private static func certificate(_ served: ServedCertificate, _ fault: String?) -> Facts.Certificate {
    func time(_ seconds: Int64?) -> Timestamp? {
      seconds.map { Timestamp(milliseconds: $0.multipliedReportingOverflow(by: 1000).partialValue) }
    }
    return Facts.Certificate(
      subject: served.subject, issuer: served.issuer, validFrom: time(served.validFrom), validUntil: time(served.validUntil),
      pin: served.pin?.description, problem: served.fault?.rawValue ?? fault)
  }
}
