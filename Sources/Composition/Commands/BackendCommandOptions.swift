package import ArgumentParser

/// The flags of `understudy backend`; each can also be set as `UNDERSTUDY_<FLAG>` in the environment, and a flag takes
/// precedence.
package struct BackendCommandOptions: ParsableArguments {
  @Option(help: "Address to listen on: localhost, or an IP address. (default: 127.0.0.1)") package var host: String?
  @Option(help: "Port to listen on; 0 picks a free one. (default: 8443)") package var port: UInt16?
  @Option(help: "Folder for accounts, sessions and the certificate. (default: $XDG_STATE_HOME/understudy-backend)")
  package var data: String?
  @OptionGroup package var database: DatabaseOptions
  @Option(help: "File with the 32-byte key that seals what is secret in the database; the same for every backend on it.")
  package var vaultKeyFile: String?
  @Option(help: "Rate limits for messages: prod, relaxed or off. (default: relaxed)") package var limits: String?
  @Option(help: "Who may register: open or closed. (default: open)") package var registration: String?
  @Option(name: .customLong("api-id"), help: "Id of the key that calls must be signed with.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret that calls must be signed with.")
  package var apiSecretFile: String?
  @Option(help: "PEM file of the certificate. (default: one created in the data folder or database)") package var tlsCertificate:
    String?
  @Option(help: "PEM file of the private key.") package var tlsKey: String?
  @Option(help: "Origin of sign-in links, scheme://host[:port]. (default: the origin in the ready line)")
  package var linkBase: String?
  @Option(help: "File with the token for /dev/inbox, /dev/clock and /dev/limits. (default: none, which disables them)")
  package var devTokenFile: String?
  @Option(help: "How answers are spelled: strict, seed, camel or problem. (default: strict)") package var dialect: String?
  @Option(help: "Exported bundle or HAR file to answer from, instead of accounts and cues of its own.") package var replay:
    String?
  @Option(help: "Log level: trace, debug, info, notice, warning, error or critical. (default: notice)") package var logLevel:
    String?
  package init() {}
}
