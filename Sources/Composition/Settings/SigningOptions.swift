import ArgumentParser
import Text
import Vault

/// The flags of the key that signs calls.
struct SigningOptions: ParsableArguments {
  @Option(help: "Id of the key that signs calls.") var apiID: String?
  @Option(help: "File with the secret of the key that signs calls.") var apiSecretFile: String?

  /// The key; nil without one. Throws `StartFailure`: 78 if only one flag is given, and the errors of `SecretFile`.
  func key() throws(StartFailure) -> SigningKey? {
    let secret = try SecretFile.read(apiSecretFile, flag: "--api-secret-file")
    guard (apiID == nil) == (secret == nil) else {
      throw .configuration("--api-id and --api-secret-file must be given together")
    }
    guard let apiID, let secret else { return nil }
    return SigningKey(id: apiID, secret: secret)
  }
}

/// The key that signs calls.
struct SigningKey: Sendable {
  let id: String
  let secret: String

  /// A key for a backend in this process: both ends have it, so that it need not be stored.
  static func random() -> SigningKey { SigningKey(id: "understudy", secret: Base64URL.encode(SecureRandom.bytes(32))) }
}
