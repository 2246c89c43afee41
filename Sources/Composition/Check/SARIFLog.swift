import JSON
import Observability

/// The rules of a SARIF report.
enum SARIFRule: String, CaseIterable, Sendable {
  case checkFailed = "check-failed"
  case driftMissing = "drift-missing"
  case driftUndocumented = "drift-undocumented"
  case driftInvalid = "drift-invalid"

  /// The rule for a difference.
  init(_ kind: NetworkDrift.Kind) {
    switch kind {
    case .missing: self = .driftMissing
    case .undocumented: self = .driftUndocumented
    case .invalid: self = .driftInvalid
    }
  }

  /// The rule as a report lists it.
  var description: SARIFLog.Rule {
    let (name, text) =
      switch self {
      case .checkFailed: ("CheckFailed", "A check of an account flow failed.")
      case .driftMissing: ("DriftMissing", "A message lacks something that the OpenAPI document requires.")
      case .driftUndocumented: ("DriftUndocumented", "A message has something that the OpenAPI document does not describe.")
      case .driftInvalid: ("DriftInvalid", "A value does not fit the OpenAPI document.")
      }
    return SARIFLog.Rule(
      id: rawValue, name: name, shortDescription: .init(text: text), defaultConfiguration: .init(level: "error"))
  }
}

/// The part of a SARIF 2.1.0 log that reports use (OASIS SARIF 2.1.0 §3.13).
struct SARIFLog: Encodable, Sendable {
  struct Message: Encodable, Sendable {
    let text: String
  }

  struct Configuration: Encodable, Sendable {
    let level: String
  }

  /// A reporting descriptor (§3.49).
  struct Rule: Encodable, Sendable {
    let id: String
    let name: String
    let shortDescription: Message
    let defaultConfiguration: Configuration
  }

  struct Driver: Encodable, Sendable {
    let name: String
    let version: String
    let rules: [Rule]
  }

  struct Tool: Encodable, Sendable {
    let driver: Driver
  }

  /// An invocation (§3.20).
  struct Invocation: Encodable, Sendable {
    let executionSuccessful: Bool
    let startTimeUtc: Timestamp
    let endTimeUtc: Timestamp
  }

  struct ArtifactLocation: Encodable, Sendable {
    let uri: String
    let index: Int?
  }

  struct Artifact: Encodable, Sendable {
    let location: ArtifactLocation
  }

  struct Region: Encodable, Sendable {
    let startLine: Int
  }

  struct PhysicalLocation: Encodable, Sendable {
    let artifactLocation: ArtifactLocation
    let region: Region?
  }

  struct LogicalLocation: Encodable, Sendable {
    let fullyQualifiedName: String
    let kind: String
  }

  struct Location: Encodable, Sendable {
    let physicalLocation: PhysicalLocation?
    let logicalLocations: [LogicalLocation]
  }

  /// A result (§3.27).
  struct Result: Encodable, Sendable {
    let ruleId: String
    let ruleIndex: Int
    let level: String
    let message: Message
    let locations: [Location]
    let partialFingerprints: [String: String]
    let occurrenceCount: Int

    init(_ rule: SARIFRule, level: String, message: String, location: Location, fingerprint: String, count: Int) {
      ruleId = rule.rawValue
      ruleIndex = SARIFRule.allCases.firstIndex(of: rule) ?? 0
      self.level = level
      self.message = Message(text: message)
      locations = [location]
      partialFingerprints = ["understudy/v1": fingerprint]
      occurrenceCount = max(1, count)
    }
  }

  /// A run (§3.14).
  struct Run: Encodable, Sendable {
    let tool: Tool
    let invocations: [Invocation]
    let artifacts: [Artifact]?
    let results: [Result]
    let columnKind = "utf16CodeUnits"
  }

  private enum CodingKeys: String, CodingKey {
    case version, runs
    case schema = "$schema"
  }

  let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  let version = "2.1.0"
  let runs: [Run]
}
