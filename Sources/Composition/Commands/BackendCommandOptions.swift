package import ArgumentParser

/// The flags of `understudy backend`; each is also `UNDERSTUDY_<FLAG>` in the environment, and a flag wins (contract §1).
package struct BackendCommandOptions: ParsableArguments {
  @Option(help: "Address to listen on: localhost, or an IP address. (default: 127.0.0.1)") package var host: String?
  @Option(help: "Port to listen on; 0 picks a free one. (default: 8443)") package var port: UInt16?
  @Option(help: "Folder for accounts, sessions and the certificate. (default: $XDG_STATE_HOME/understudy-backend)")
  package var data: String?
  @Option(help: "How often messages may be sent: prod, relaxed or off. (default: relaxed)") package var limits: String?
  @Option(help: "Who may register: open or closed. (default: open)") package var registration: String?
  @Option(name: .customLong("api-id"), help: "Id that calls must be signed under.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret that calls must be signed with.")
  package var apiSecretFile: String?
  @Option(help: "PEM file of the certificate. (default: one made in the data folder)") package var tlsCertificate: String?
  @Option(help: "PEM file of the private key.") package var tlsKey: String?
  @Option(help: "Origin that sign-in links lead to, scheme://host[:port]. (default: the origin of the ready line)")
  package var linkBase: String?
  @Option(help: "File with the token that /dev/inbox, /dev/clock and /dev/limits ask for. (default: none, and no /dev)")
  package var devTokenFile: String?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: notice)") package var logLevel: String?

  /// Makes the options for ArgumentParser to fill.
  package init() {}
}
