import Console
import FoundationEssentials
import JSON
import Observability
import Text

/// A report for code scanning in SARIF 2.1.0: a result for each failed check and for each difference from the OpenAPI document.
struct SARIFReport: Sendable {
  private let report: CheckReport
  private let lines: OperationLines?

  /// Creates the SARIF form of a report; `file` is the document that exchanges were compared with.
  init(_ report: CheckReport, file: OpenAPIFile?) {
    self.report = report
    lines = file.map { OperationLines($0.bytes) }
  }

  /// The document, on one line.
  var text: String {
    guard let bytes = try? JSONCoding.encode(log) else { return "" }
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }

  private var log: SARIFLog {
    let artifacts = report.drift.map { [SARIFLog.Artifact(location: .init(uri: Self.uri($0.document.source), index: nil))] }
    let run = SARIFLog.Run(
      tool: .init(driver: .init(name: "Understudy", version: Version.text, rules: SARIFRule.allCases.map(\.description))),
      invocations: [
        .init(
          executionSuccessful: true, startTimeUtc: Timestamp(report.startedAt),
          endTimeUtc: Timestamp(report.startedAt.addingTimeInterval(report.duration / .seconds(1))))
      ], artifacts: artifacts, results: failures + differences)
    return SARIFLog(runs: [run])
  }

  private var failures: [SARIFLog.Result] {
    report.results.compactMap { result in
      guard case .failed(let reason) = result.outcome else { return nil }
      let call = result.call.map { " at \($0.text)" } ?? ""
      let place = SARIFLog.LogicalLocation(fullyQualifiedName: "\(result.group)/\(result.id)", kind: "function")
      return SARIFLog.Result(
        .checkFailed, level: "error", message: "\(result.title): \(reason)\(call)",
        location: .init(physicalLocation: nil, logicalLocations: [place]), fingerprint: result.id, count: 1)
    }
  }

  private var differences: [SARIFLog.Result] {
    guard let drift = report.drift else { return [] }
    let level = drift.isAllowed ? "warning" : "error"
    return drift.endpoints.flatMap { endpoint in
      let operation = "\(endpoint.method) \(endpoint.path)"
      let artifact = SARIFLog.ArtifactLocation(uri: Self.uri(drift.document.source), index: 0)
      let line = lines?.line(method: endpoint.method, path: endpoint.path)
      let physical = SARIFLog.PhysicalLocation(artifactLocation: artifact, region: line.map { .init(startLine: $0) })
      return endpoint.differences.map { difference in
        let places = [
          SARIFLog.LogicalLocation(fullyQualifiedName: operation, kind: "function"),
          SARIFLog.LogicalLocation(
            fullyQualifiedName: "\(operation) \(difference.side.rawValue) \(difference.pointer)", kind: "member"),
        ]
        return SARIFLog.Result(
          SARIFRule(difference.kind), level: level, message: "\(operation): \(difference.text)",
          location: .init(physicalLocation: physical, logicalLocations: places),
          fingerprint: [
            operation, difference.side.rawValue, difference.pointer, difference.expected, difference.got,
          ].joined(separator: "\n"), count: difference.count)
      }
    }
  }

  /// A path or URL as a URI reference (RFC 3986 §4.1); the first part of a relative path may not contain a colon.
  private static func uri(_ source: String) -> String {
    let lowered = source.lowercased()
    if lowered.hasPrefix("https://") || lowered.hasPrefix("http://") { return source }
    let path = PercentCoding.encode(source.utf8) { PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    return source.hasPrefix("/") ? "file://\(path)" : path
  }
}

/// The lines of an OpenAPI document on which its operations begin.
struct OperationLines: Sendable {
  private let document: JSONDocument?

  init(_ bytes: [UInt8]) { document = try? JSONDocument(parsing: bytes, maximumDepth: 512) }

  /// The line of an operation, from 1; nil if the document does not have it.
  ///
  /// The path may begin with that of a server. The template with the most literal segments wins.
  func line(method: String, path: String) -> Int? {
    guard let document else { return nil }
    let segments = path.split(separator: "/")
    var best: (literals: Int, operation: JSONNode)?
    for (template, item) in document.root["paths"]?.members ?? [] {
      let parts = template.split(separator: "/")
      guard parts.count <= segments.count, let operation = item[method.lowercased()],
        zip(parts, segments.suffix(parts.count)).allSatisfy({ $0.hasPrefix("{") || $0 == $1 })
      else { continue }
      let literals = parts.count { !$0.hasPrefix("{") }
      if literals > best?.literals ?? -1 { best = (literals, operation) }
    }
    return best.map { 1 + document.bytes[..<$0.operation.span.lowerBound].count { $0 == UInt8(ascii: "\n") } }
  }
}
