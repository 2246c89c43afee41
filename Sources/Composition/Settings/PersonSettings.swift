package import ArgumentParser
import Console
import HTTPTypes

/// The flags of a proxy that tells who sends a request.
package struct PersonOptions: ParsableArguments {
  @Option(help: "Header in which the proxy in front of the console names the person, for example X-Forwarded-Email.")
  package var personHeader: String?
  @Option(help: "File with the secret that the proxy sends in X-Understudy-Proxy-Secret; without it the header does not count.")
  package var personSecretFile: String?
  @Option(help: "Name of a person who is an owner; can be repeated.") package var personOwner: [String] = []
  @Option(help: "Role of a person who is new: viewer, tester or owner. (default: tester)") package var personRole: String?

  package init() {}
}

/// How the console reads persons from a proxy.
struct PersonSettings: Sendable {
  let proxy: PersonProxy

  /// Resolves flags and environment; nil without `--person-header`. Throws `StartFailure`.
  init?(_ options: PersonOptions, _ environment: EnvironmentFlags) throws(StartFailure) {
    let header = options.personHeader ?? environment.text("person-header")
    let path = options.personSecretFile ?? environment.text("person-secret-file")
    let owners = options.personOwner.isEmpty ? environment.list("person-owner") : options.personOwner
    let word = options.personRole ?? environment.text("person-role")
    guard let header else {
      guard path == nil, owners.isEmpty, word == nil else {
        throw .configuration("--person-secret-file, --person-owner and --person-role require --person-header")
      }
      return nil
    }
    guard let name = HTTPField.Name(header), !Self.ownFields.contains(name.canonicalName) else {
      throw .usage("--person-header: '\(StartFailure.quoted(header))' cannot be the header of a person")
    }
    guard let path else {
      throw .configuration(
        "--person-header requires --person-secret-file: without a secret, everybody who reaches the console could send the header"
      )
    }
    guard let secret = try SecretFile.read(path, flag: "--person-secret-file") else { return nil }
    try AccessTokenStrength.check(secret, flag: "--person-secret-file")
    for owner in owners where !PersonProxy.isName(owner) {
      throw .usage("--person-owner: '\(StartFailure.quoted(owner))' is not a name")
    }
    guard let role = Person.Role(rawValue: word ?? Person.Role.tester.rawValue) else {
      throw .usage("--person-role: '\(StartFailure.quoted(word ?? ""))' is not viewer, tester or owner")
    }
    proxy = PersonProxy(header: name, secret: secret, owners: owners, firstRole: role)
  }

  /// Headers that mean something else, in lowercase.
  private static let ownFields: Set<String> = [
    "host", "cookie", "authorization", "origin", "content-length", "content-type", "transfer-encoding", "connection",
    "x-device-key", PersonProxy.secretField.canonicalName,
  ]
}
