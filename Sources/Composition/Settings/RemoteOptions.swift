import ArgumentParser
import BackendFile
import Client
import Console
import Vault

/// The flags of a backend other than the embedded one.
struct RemoteOptions: ParsableArguments {
  @Option(help: "Origin of the backend, https://host[:port]. (default: the built-in one)", read: .origin) var backend: Origin?
  @Option(help: "Pin of the backend's key, sha256/…; repeat it for a backup pin.", read: .pin) var pin: [SPKIPin] = []
  @Option(help: "PEM file of the certificates to trust for the backend.") var ca: String?
  @Option(help: "Proxy to the backend, http://host:port. (default: HTTPS_PROXY and NO_PROXY)") var proxy: String?
  @Option(help: "Host whose sign-in links are accepted; can be repeated. (default: the backend's)", read: .linkHost)
  var linkHost: [String] = []

  @Option(help: "Backend file: how this backend signs in, refreshes and so on.", read: .path) var backendFile: String?
  @Option(help: "Folder with a file for each secret of the backend file.", read: .path) var secrets: String?
  @Option(help: "Other host that requests of the backend file may go to, host[:port]; can be repeated.", read: .allowedHost)
  var backendFileHost: [AllowedHost] = []
  @Flag(help: "Read the backend file again when it changes, while a console runs.") var watch = false

  /// The backend, with the content of the files; nil for the embedded one. Throws `StartFailure`.
  func remote(pinFile: String? = nil, variables: [String: String]) throws(StartFailure) -> RemoteBackend? {
    let file = try source(variables: variables)
    let read = try file.map { file throws(StartFailure) in try file.read(backend: backend) }
    guard let backend = backend ?? read?.origin else {
      guard pin.isEmpty, ca == nil, proxy == nil else {
        throw .configuration("--pin, --ca and --proxy require --backend; the built-in backend has its own")
      }
      return nil
    }
    guard backend.scheme == "https" else { throw .configuration("--backend: \(backend.text) is not https") }
    let pins = try PinSource(pin, path: pinFile)
    return RemoteBackend(
      origin: backend, pins: pins, ca: try ca.map(Self.certificates),
      proxy: try ProxyURL.resolve(flag: proxy, variables: variables), linkHosts: linkHost.isEmpty ? [backend.host] : linkHost,
      file: read.map { ActiveBackendFile($0.content) }, fileSource: file)
  }

  /// The content of `--ca`; throws `StartFailure` (66) if it contains no certificate.
  private static func certificates(_ path: String) throws(StartFailure) -> String {
    let text = try ServeSettings.file(path, flag: "--ca")
    guard (try? ServerCertificate.pin(ofCertificatePEM: text)) != nil else {
      throw .inputMissing("--ca: \(path) contains no certificate in PEM")
    }
    return text
  }

  /// The source of the backend file; nil without one. Throws `StartFailure` for flags that need one.
  private func source(variables: [String: String]) throws(StartFailure) -> BackendFileSource? {
    guard let backendFile else {
      guard secrets == nil, backendFileHost.isEmpty, !watch else {
        throw .configuration("--secrets, --backend-file-host and --watch require --backend-file")
      }
      return nil
    }
    return BackendFileSource(
      path: backendFile, secretsFolder: secrets, hosts: backendFileHost, isWatched: watch, variables: variables)
  }
}

/// A backend other than the embedded one.
struct RemoteBackend: Sendable {
  let origin: Origin
  let pins: PinSource
  let ca: String?
  let proxy: String?
  let linkHosts: [String]
  /// The backend file, which replaces the contract; nil for the contract itself.
  let file: ActiveBackendFile?
  let fileSource: BackendFileSource?

  /// How devices address it.
  var link: BackendLink { BackendLink(origin: origin.text, id: origin.text, linkHosts: linkHosts, embedded: nil, file: file) }

  /// How clients connect to it; throws `StartFailure` for a file of pins that is unusable.
  func configuration() throws(StartFailure) -> TransportConfiguration {
    var configuration = TransportConfiguration(pins: try pins.read())
    if let ca { configuration.trust = .pem(ca) }
    if let proxy { configuration.proxy = .url(proxy) }
    return configuration
  }
}
