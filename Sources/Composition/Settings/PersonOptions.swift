import ArgumentParser
import Console
import Domain
import HTTPTypes

/// The flags of a proxy that identifies the sender of a request.
struct PersonOptions: ParsableArguments {
  @Option(
    help: "Header in which the proxy in front of the console names the person, for example X-Forwarded-Email.",
    read: FlagReader("a header that can name a person") { text in
      HTTPField.Name(text).flatMap { ownFields.contains($0.canonicalName) ? nil : $0 }
    })
  var personHeader: HTTPField.Name?
  @Option(help: "File with the secret that the proxy sends in X-Understudy-Proxy-Secret; without it the header does not count.")
  var personSecretFile: String?
  @Option(
    help: "Name of a person who is an owner; can be repeated.",
    read: FlagReader("a name") { PersonProxy.isName($0) ? $0 : nil })
  var personOwner: [String] = []
  @Option(help: "Role of a person who is new: \(Person.Role.names). (default: tester)", read: .name) var personRole: Person.Role?

  /// How the console reads people from the proxy; nil without `--person-header`. Throws `StartFailure`.
  func proxy() throws(StartFailure) -> PersonProxy? {
    guard let personHeader else {
      guard personSecretFile == nil, personOwner.isEmpty, personRole == nil else {
        throw .configuration("--person-secret-file, --person-owner and --person-role require --person-header")
      }
      return nil
    }
    guard let secret = try SecretFile.read(personSecretFile, flag: "--person-secret-file") else {
      throw .configuration(
        "--person-header requires --person-secret-file: without a secret, everybody who reaches the console could send the header"
      )
    }
    try AccessTokenStrength.check(secret, flag: "--person-secret-file")
    return PersonProxy(header: personHeader, secret: secret, owners: personOwner, firstRole: personRole ?? .tester)
  }

  /// Headers that have another meaning, in lowercase.
  private static let ownFields: Set<String> = [
    "host", "cookie", "authorization", "origin", "content-length", "content-type", "transfer-encoding", "connection",
    "x-device-key", PersonProxy.secretField.canonicalName,
  ]
}
