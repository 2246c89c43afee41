import Client
import Domain
import Foundation
import Redaction

/// The flags of `understudy check` with the content of the files that they name; nothing is opened yet.
@dynamicMemberLookup
struct CheckSettings: Sendable {
  /// How the report is written.
  enum Format: String, CaseIterable, Sendable {
    case text, json, junit
  }

  /// Where codes come from if the backend is not the embedded one.
  enum Source: Sendable {
    /// The backend's `/dev/inbox`, with the token.
    case developer(token: String)
    /// A shell command that prints the message.
    case command(String)
  }

  private let command: CheckCommand
  /// The backend; nil for the embedded one.
  let remote: RemoteBackend?
  let signingKey: SigningKey?
  /// The rules for masking rows and the report.
  let redactionRules: RedactionRules
  let identifier: Identifier?
  let source: Source?
  /// The password to sign in with.
  let password: String?
  /// The OpenAPI document to compare with; nil for no comparison.
  let openAPI: OpenAPISource?

  /// A flag's value.
  subscript<Value>(dynamicMember flag: KeyPath<CheckCommand, Value>) -> Value { command[keyPath: flag] }

  /// The timeout of one check.
  var timeout: Duration { .seconds(command.timeout) }

  /// Reads the files and checks the flags together; throws `StartFailure`.
  init(
    _ command: CheckCommand, variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StartFailure) {
    self.command = command
    remote = try command.connection.remote(variables: variables)
    signingKey = try command.signing.key()
    redactionRules = try command.masks.rules()
    let offer = remote?.file?.content.offer ?? .contract
    identifier = try Self.identifier(command, offer)
    source = try Self.source(command)
    password = try SecretFile.read(command.passwordFile, flag: "--password-file")
    guard password == nil || remote?.file != nil else { throw .configuration("--password-file requires --backend-file") }
    openAPI = try OpenAPISource(command.openapi)
    if remote == nil {
      guard source == nil else {
        throw .configuration("--dev-token-file and --code-command require --backend; the built-in backend has its own inbox")
      }
      guard identifier == nil else {
        throw .configuration("--identifier requires --backend; the built-in backend has no accounts")
      }
    }
    if case .command = source, identifier == nil, offer.signIn.contains(where: { $0.fields.contains("identifier") }) {
      throw .configuration("--code-command requires --identifier")
    }
  }

  /// Reads the identifier, in which `{shard}` stands for the number of the part.
  private static func identifier(_ command: CheckCommand, _ offer: BackendOffer) throws(StartFailure) -> Identifier? {
    guard var text = command.identifier else { return nil }
    if text.contains("{shard}") {
      guard let shard = command.shard else { throw .configuration("--identifier: {shard} requires --shard") }
      text = text.replacing("{shard}", with: String(shard.number))
    }
    // Not quoted, because it identifies a person.
    do { return try Identifier(typed: text, for: offer) } catch {
      throw .usage("--identifier: not an email address or phone number")
    }
  }

  private static func source(_ command: CheckCommand) throws(StartFailure) -> Source? {
    let token = try SecretFile.read(command.devTokenFile, flag: "--dev-token-file")
    switch (token, command.codeCommand) {
    case (nil, nil): return nil
    case (let token?, nil): return .developer(token: token)
    case (nil, let command?): return .command(command)
    default: throw .configuration("--dev-token-file and --code-command cannot be combined")
    }
  }
}
