import Client
import Console
import Domain
import Foundation
import Logging
import Redaction

/// The validated settings of `understudy check`, with the content of the files that it names; nothing is opened yet.
package struct CheckSettings: Sendable {
  /// How the report is written.
  package enum Format: String, CaseIterable, Sendable {
    case text, json, junit
  }

  /// Where codes come from if the backend is not the embedded one.
  enum Source: Sendable {
    /// The backend's `/dev/inbox`, with the token.
    case developer(token: String)
    /// A shell command that prints the message.
    case command(String)
  }

  /// The backend; nil for the embedded one.
  let remote: ServeSettings.Remote?
  let apiID: String?
  let apiSecret: String?
  let linkHosts: [String]
  /// What is masked in rows and in the report.
  let redactionRules: RedactionRules
  let identifier: Identifier?
  /// The part of the checks to run; nil for all.
  let shard: CheckShard?
  let source: Source?
  let allowsDeletion: Bool
  /// The OpenAPI document to compare with; nil for no comparison.
  let openAPI: OpenAPISource?
  /// Whether differences from the document do not fail the run.
  let allowsDrift: Bool
  let format: Format
  /// The report file; nil for standard output.
  let reportPath: String?
  /// The timeout of one check.
  let timeout: Duration
  let logLevel: Logger.Level

  /// Resolves flags and environment; throws `StartFailure`.
  package init(
    _ options: CheckOptions, environment: EnvironmentFlags,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StartFailure) {
    remote = try Self.remote(options, environment, variables)
    apiID = options.apiID ?? environment.text("api-id")
    apiSecret = try SecretFile.read(
      options.apiSecretFile ?? environment.text("api-secret-file"), flag: "--api-secret-file")
    guard (apiID == nil) == (apiSecret == nil) else {
      throw .configuration("--api-id and --api-secret-file must be given together")
    }
    redactionRules = try options.masks.rules(environment)
    linkHosts = options.linkHost.isEmpty ? environment.list("link-host") : options.linkHost
    shard = try Self.shard(options.shard ?? environment.text("shard"))
    identifier = try Self.identifier(options.identifier ?? environment.text("identifier"), shard)
    source = try Self.source(options, environment)
    allowsDeletion = try environment.isOn("allow-deletion", given: options.allowDeletion)
    openAPI = try OpenAPISource(options.openapi ?? environment.text("openapi"))
    allowsDrift = try environment.isOn("allow-drift", given: options.allowDrift)
    let word = options.format ?? environment.text("format") ?? "text"
    guard let format = Format(rawValue: word) else { throw .usage("--format: '\(word)' is not text, json or junit") }
    self.format = format
    reportPath = options.report ?? environment.text("report")
    let seconds = try environment.number("timeout", given: options.timeout) ?? 30
    guard (1...600).contains(seconds) else { throw .usage("--timeout: \(seconds) is not between 1 and 600") }
    timeout = .seconds(seconds)
    let level = options.logLevel ?? environment.text("log-level") ?? Logger.Level.critical.rawValue
    guard let logLevel = Logger.Level(rawValue: level) else { throw .usage("--log-level: '\(level)' is not a log level") }
    self.logLevel = logLevel
    try checkTogether()
  }

  private func checkTogether() throws(StartFailure) {
    if remote == nil {
      guard source == nil else {
        throw .configuration("--dev-token-file and --code-command require --backend; the embedded backend has its own inbox")
      }
      guard identifier == nil else {
        throw .configuration("--identifier requires --backend; the embedded backend has no accounts")
      }
    }
    if case .command = source, identifier == nil { throw .configuration("--code-command requires --identifier") }
  }

  private static func shard(_ text: String?) throws(StartFailure) -> CheckShard? {
    guard let text else { return nil }
    guard let shard = CheckShard(text) else {
      throw .usage("--shard: '\(text)' is not I/N with 1 ≤ I ≤ N ≤ \(CheckCase.flows.count), the number of flows")
    }
    return shard
  }

  /// Reads an identifier, in which `{shard}` stands for the number of the part.
  private static func identifier(_ text: String?, _ shard: CheckShard?) throws(StartFailure) -> Identifier? {
    guard var text else { return nil }
    if text.contains("{shard}") {
      guard let shard else { throw .configuration("--identifier: {shard} requires --shard") }
      text = text.replacing("{shard}", with: String(shard.number))
    }
    // Not quoted, since it identifies a person.
    do { return try Identifier(normalizing: text) } catch {
      throw .usage("--identifier: not an e-mail address or phone number")
    }
  }

  private static func source(_ options: CheckOptions, _ environment: EnvironmentFlags) throws(StartFailure) -> Source? {
    let token = try SecretFile.read(
      options.devTokenFile ?? environment.text("dev-token-file"), flag: "--dev-token-file")
    switch (token, options.codeCommand ?? environment.text("code-command")) {
    case (nil, nil): return nil
    case (let token?, nil): return .developer(token: token)
    case (nil, let command?): return .command(command)
    default: throw .configuration("--dev-token-file and --code-command cannot be combined")
    }
  }

  private static func remote(
    _ options: CheckOptions, _ environment: EnvironmentFlags, _ variables: [String: String]
  ) throws(StartFailure) -> ServeSettings.Remote? {
    let pins = options.pin.isEmpty ? environment.list("pin") : options.pin
    let ca = options.ca ?? environment.text("ca")
    let proxy = options.proxy ?? environment.text("proxy")
    guard let text = options.backend ?? environment.text("backend") else {
      guard pins.isEmpty, ca == nil, proxy == nil else {
        throw .configuration("--pin, --ca and --proxy require --backend; the embedded backend has its own")
      }
      return nil
    }
    guard let origin = Origin(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
      throw .usage("--backend: '\(text)' is not https://host[:port]")
    }
    guard origin.scheme == "https" else { throw .configuration("--backend: \(origin.text) is not https") }
    var anchors: String?
    if let ca { anchors = try ServeSettings.file(ca, flag: "--ca") }
    return ServeSettings.Remote(
      origin: origin.text, pins: try PinSource(texts: pins, path: nil), pinMode: .enforce, ca: anchors,
      proxy: try ProxyURL.resolve(flag: proxy, variables: variables))
  }
}
