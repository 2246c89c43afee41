package import ArgumentParser

/// The flags of `understudy check`; each can also be set as `UNDERSTUDY_<FLAG>` in the environment, and a flag takes
/// precedence.
package struct CheckOptions: ParsableArguments {
  @Option(help: "Backend to check, https://host[:port]. (default: an embedded one, started for the run)")
  package var backend: String?
  @Option(help: "Pin of the backend's key, sha256/…; can be repeated.") package var pin: [String] = []
  @Option(help: "PEM file of the certificates to trust for the backend.") package var ca: String?
  @Option(name: .customLong("api-id"), help: "Id of the key to sign calls with.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret to sign calls with.")
  package var apiSecretFile: String?
  @Option(help: "Proxy to the backend, http://host:port. (default: HTTPS_PROXY and NO_PROXY)") package var proxy: String?
  @Option(help: "Host whose sign-in links are accepted; can be repeated. (default: the backend's)")
  package var linkHost: [String] = []
  @Option(
    help: ArgumentHelp(
      "Run the Ith of N parts of the flows, so that N machines share a run; together they are the whole run.", valueName: "I/N"))
  package var shard: String?
  @Option(
    help: """
      E-mail address or phone number to sign in with; with --shard, {shard} stands for I. (default, if there is an \
      inbox: a new address)
      """)
  package var identifier: String?
  @Option(help: "File with the token for the backend's /dev/inbox and /dev/clock, where codes are read.")
  package var devTokenFile: String?
  @Option(
    help: """
      Shell command that prints the code or link that was sent; $1 is the identifier, $2 the kind of message, \
      login_code or magic_link.
      """) package var codeCommand: String?
  @Flag(help: "Also delete the account.") package var allowDeletion = false
  @Option(help: "OpenAPI document, a file or URL: the run fails if a call or answer differs from it.") package var openapi:
    String?
  @Flag(help: "With --openapi: report differences without failing.") package var allowDrift = false
  @OptionGroup package var masks: MaskOptions
  @Option(help: "Format of the report: text, json or junit. (default: text)") package var format: String?
  @Option(help: "File for the report. (default: standard output)") package var report: String?
  @Option(help: "Timeout of one check in seconds, 1 to 600. (default: 30)") package var timeout: Int?
  @Option(help: "Log level: trace, debug, info, notice, warning, error or critical. (default: critical)")
  package var logLevel: String?
  package init() {}
}
