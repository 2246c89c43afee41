package import ArgumentParser

/// The flags of `understudy check`; each is also `UNDERSTUDY_<FLAG>` in the environment, and a flag wins (contract §1).
package struct CheckOptions: ParsableArguments {
  @Option(help: "The backend to check, https://host[:port]. (default: an embedded one, made for the run)")
  package var backend: String?
  @Option(help: "Pin of the backend's key, sha256/…; may be given again.") package var pin: [String] = []
  @Option(help: "File of PEM certificates that the backend's chain may end in.") package var ca: String?
  @Option(name: .customLong("api-id"), help: "Id that calls are signed under.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret that calls are signed with.")
  package var apiSecretFile: String?
  @Option(help: "Proxy to the backend, http://host:port. (default: HTTPS_PROXY and NO_PROXY)") package var proxy: String?
  @Option(help: "Host whose sign-in links are accepted; may be given again. (default: the backend's)")
  package var linkHost: [String] = []
  @Option(help: "Address or number to sign in with. (default with an inbox at hand: one that is new to the backend)")
  package var identifier: String?
  @Option(help: "File with the token of the backend's /dev/inbox and /dev/clock, which codes are read from.")
  package var devTokenFile: String?
  @Option(
    help: """
      Shell command that prints the code, or the link, that was sent; $1 is the identifier and $2 what was asked for, \
      login_code or magic_link.
      """) package var codeCommand: String?
  @Flag(help: "Also have the account deleted.") package var allowDeletion = false
  @Flag(help: "Run the embedded backend beside, and tell where the two differ.") package var parity = false
  @Option(help: "How the report is written: text, json or junit. (default: text)") package var format: String?
  @Option(help: "File that the report is written to. (default: standard output)") package var report: String?
  @Option(help: "Seconds that one check may take, 1 to 600. (default: 30)") package var timeout: Int?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: critical)") package var logLevel: String?

  /// Makes the options for ArgumentParser to fill.
  package init() {}
}
