package import ArgumentParser

/// The flags of `understudy serve`; each can also be set as `UNDERSTUDY_<FLAG>` in the environment, and a flag takes
/// precedence.
package struct ServeOptions: ParsableArguments {
  @Option(help: "Address to listen on: localhost, or an IP address. (default: localhost)") package var host: String?
  @Option(help: "Port to listen on; 0 picks a free one. (default: 8080)") package var port: UInt16?
  @Option(help: "Folder for devices, tokens and the embedded backend. (default: $XDG_STATE_HOME/understudy)")
  package var data: String?
  @Flag(help: "Store nothing on disk.") package var ephemeral = false
  @Option(help: "Folder of the web pages. (default: Public in the working folder or beside the program)") package var `public`:
    String?
  @Option(help: "Number of event loops, one thread each. (default: one per core)") package var loops: Int?
  @Option(help: "Log level: trace, debug, info, notice, warning, error or critical. (default: notice)") package var logLevel:
    String?
  @Flag(help: "Log every request, without query and headers.") package var accessLog = false
  @Option(help: "Origin of the backend, https://host[:port]. (default: the embedded one)") package var backend: String?
  @Option(help: "Pin of the backend's key, sha256/…; repeat it for a backup pin.") package var pin: [String] = []
  @Option(help: "File of pins, one per line; reloaded on SIGHUP.") package var pinFile: String?
  @Flag(help: "Log a key that matches no pin, but use it anyway.") package var pinReportOnly = false
  @Option(help: "PEM file of the certificates to trust for the backend.") package var ca: String?
  @Option(name: .customLong("api-id"), help: "Id of the key to sign calls with.") package var apiID: String?
  @Option(name: .customLong("api-secret-file"), help: "File with the secret to sign calls with.")
  package var apiSecretFile: String?
  @Option(help: "Proxy to the backend, http://host:port. (default: HTTPS_PROXY and NO_PROXY)") package var proxy: String?
  @Option(help: "OpenAPI document to compare the calls with: a file or URL. (default: /swagger.json of the backend)")
  package var openapi: String?
  @Option(help: "Host whose sign-in links are accepted; can be repeated.") package var linkHost: [String] = []
  @Option(help: "PEM file of this console's certificate.") package var tlsCertificate: String?
  @Option(help: "PEM file of this console's private key.") package var tlsKey: String?
  @Option(help: "Another origin of this console; can be repeated.") package var publicOrigin: [String] = []
  @Flag(help: "This console is behind a proxy that terminates TLS and forwards the client's address.") package var behindProxy =
    false
  @Option(help: "File with the access token. It is required beyond loopback, and on loopback for other users of this machine.")
  package var accessTokenFile: String?
  @Flag(help: "Let every user of this machine in without the access token, not only the one who runs the console.")
  package var allowLocalUsers = false
  @Option(
    help:
      "File with the 32-byte key that encrypts tokens. (default: systemd's credential vault-key, else vault.key in the data folder)"
  )
  package var vaultKeyFile: String?
  @Option(help: "File with the previous key; data that it encrypted is re-encrypted at the start.")
  package var vaultOldKeyFile: String?
  @Option(help: "Rate limits of the embedded backend: prod, relaxed or off. (default: relaxed)") package var limits: String?
  @OptionGroup package var masks: MaskOptions
  @OptionGroup package var database: DatabaseOptions
  @OptionGroup package var persons: PersonOptions
  @Option(help: "Seconds after which a device that nobody uses may be put to sleep. (default: 1800)")
  package var deviceIdle: Int?
  @Option(
    help:
      "Seconds for which a console that stops still answers while it reports that it is not ready, so that balancers notice. (default: 2 with --database, else 0)"
  )
  package var drainDelay: Int?
  @Option(
    help:
      "Pause before the second attempt of a call, in milliseconds; the later ones grow with it. For automated tests. (default: 1000)"
  )
  package var retryPause: Int?
  @Option(help: "Who may register with the embedded backend: open or closed. (default: open)") package var registration: String?
  package init() {}
}
