import Client
import Console
import Foundation

extension ServeSettings {
  /// `$XDG_STATE_HOME/understudy`, else `~/.local/state/understudy` (XDG Base Directory).
  static func stateFolder() -> String {
    let variables = ProcessInfo.processInfo.environment
    if let state = variables["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/understudy" }
    return "\(variables["HOME"] ?? NSHomeDirectory())/.local/state/understudy"
  }

  /// The folder of the pages: the given one, else `Public` in the working folder, else beside the program.
  static func publicFolder(_ given: String?) throws(StartFailure) -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let candidates = given.map { [$0] } ?? ["Public", "\(program)/Public", "\(program)/../share/understudy/Public"]
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: "\($0)/login.html") }) else {
      throw .inputMissing("--public: no pages in \(candidates.joined(separator: ", "))")
    }
    return found
  }

  /// Reads a text file that a flag names; throws `StartFailure` (66) if that fails.
  static func file(_ path: String, flag: String) throws(StartFailure) -> String {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
      throw .inputMissing("\(flag): \(path) cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8) else { throw .inputMissing("\(flag): \(path) is not text") }
    return text
  }

  static func tls(
    _ options: ServeOptions, _ environment: EnvironmentFlags
  ) throws(StartFailure) -> TLSFiles? {
    switch (options.tlsCertificate ?? environment.text("tls-certificate"), options.tlsKey ?? environment.text("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return try TLSFiles(certificatePath: certificate, keyPath: key)
    default: throw .configuration("--tls-certificate and --tls-key must be given together")
    }
  }

  static func origins(_ texts: [String]) throws(StartFailure) -> [Origin] {
    var origins: [Origin] = []
    for text in texts {
      guard let origin = Origin(text) else {
        throw .usage("--public-origin: '\(StartFailure.quoted(text))' is not scheme://host[:port]")
      }
      origins.append(origin)
    }
    return origins
  }

  static func remote(
    _ options: ServeOptions, _ environment: EnvironmentFlags, _ variables: [String: String]
  ) throws(StartFailure) -> Remote? {
    let pinTexts = options.pin.isEmpty ? environment.list("pin") : options.pin
    let pinFile = options.pinFile ?? environment.text("pin-file")
    let reportsOnly = try environment.isOn("pin-report-only", given: options.pinReportOnly)
    let caFile = options.ca ?? environment.text("ca")
    let proxy = options.proxy ?? environment.text("proxy")
    guard let text = options.backend ?? environment.text("backend") else {
      guard pinTexts.isEmpty, pinFile == nil, !reportsOnly, caFile == nil, proxy == nil else {
        throw .configuration("--pin, --pin-file, --ca and --proxy require --backend; the embedded backend has its own")
      }
      return nil
    }
    guard let origin = Origin(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
      throw .usage("--backend: '\(StartFailure.quoted(text))' is not https://host[:port]")
    }
    guard origin.scheme == "https" else { throw .configuration("--backend: \(origin.text) is not https") }
    let pins = try PinSource(texts: pinTexts, path: pinFile)
    let current = try pins.read()
    guard !reportsOnly || !current.isEmpty else { throw .configuration("--pin-report-only requires --pin or --pin-file") }
    var ca: String?
    if let caFile { ca = try file(caFile, flag: "--ca") }
    return Remote(
      origin: origin.text, pins: pins, pinMode: reportsOnly ? .report : .enforce, ca: ca,
      proxy: try ProxyURL.resolve(flag: proxy, variables: variables))
  }
}
