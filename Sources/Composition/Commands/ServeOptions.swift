package import ArgumentParser

/// The flags of `understudy serve`; each is also `UNDERSTUDY_<FLAG>` in the environment, and a flag wins (contract §1).
package struct ServeOptions: ParsableArguments {
  @Option(help: "Address to listen on: localhost, or an IP address. (default: localhost)") package var host: String?
  @Option(help: "Port to listen on; 0 picks a free one. (default: 8080)") package var port: UInt16?
  @Option(help: "Folder for devices, tokens and the embedded backend. (default: $XDG_STATE_HOME/understudy)")
  package var data: String?
  @Flag(help: "Keep nothing on disk.") package var ephemeral = false
  @Option(help: "Folder of the pages. (default: Public, beside the program or in the working folder)") package var `public`:
    String?
  @Option(help: "Event loops, each with a thread. (default: one a core)") package var loops: Int?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: notice)") package var logLevel: String?
  @Flag(help: "Log every request, without query and headers.") package var accessLog = false
  @Option(help: "Origin of a backend, https://host[:port]. (default: the embedded one)") package var backend: String?
  @Option(help: "Pin of the backend's key, sha256/…; may be given again for a backup pin.") package var pin: [String] = []
  @Option(help: "File of pins, one a line; read again on SIGHUP.") package var pinFile: String?
  @Flag(help: "Log a key that matches no pin and use it all the same.") package var pinReportOnly = false
  @Option(help: "File of PEM certificates that the backend's chain may end in.") package var ca: String?
  @Option(name: .customLong("api-id"), help: "Id that calls are signed under.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret that calls are signed with.")
  package var apiSecretFile: String?
  @Option(help: "Proxy to the backend, http://host:port. (default: HTTPS_PROXY and NO_PROXY)") package var proxy: String?
  @Option(help: "Host whose sign-in links are accepted; may be given again.") package var linkHost: [String] = []
  @Option(help: "PEM file of this console's certificate.") package var tlsCertificate: String?
  @Option(help: "PEM file of this console's private key.") package var tlsKey: String?
  @Option(help: "Another origin under which this console is reached; may be given again.") package var publicOrigin: [String] = []
  @Flag(help: "A proxy in front of this console ends TLS and names the client.") package var behindProxy = false
  @Option(help: "File with the access token; beyond loopback everybody needs it, on loopback other users of this machine.")
  package var accessTokenFile: String?
  @Flag(help: "Serve every user of this machine without the access token, not only the one who runs the console.")
  package var allowLocalUsers = false
  @Option(
    help:
      "File with the 32-byte key that tokens are sealed with. (default: systemd's credential vault-key, else vault.key in the data folder)"
  )
  package var vaultKeyFile: String?
  @Option(help: "File with the key from before: what it sealed is sealed with the present one at the start.")
  package var vaultOldKeyFile: String?
  @Option(help: "Limits of the embedded backend: prod, relaxed or off. (default: relaxed)") package var limits: String?
  @Option(help: "Who may register with the embedded backend: open or closed. (default: open)") package var registration: String?

  /// Makes the options for ArgumentParser to fill.
  package init() {}
}
