import FoundationEssentials
import Glibc
import HTTPTypes
import Logging
import Reactor
import Server
import Vault

/// A folder and some routes on two servers, one of them encrypted.
struct ConformanceSite: Sendable {
  /// The plain server's port.
  let port: UInt16
  /// The encrypted server's port.
  let securePort: UInt16
  /// The encrypted server's certificate.
  let certificate: ServerCertificate
  /// The values of the placeholders in the cases.
  let tags: [String: String]

  /// The content of `/data.bin`: 1000 bytes, each the last digit of its offset.
  static let data = String((0..<1000).map { Character(String($0 % 10)) })
  /// The content of `/page.css`, which is compressible.
  static let page = "body { color: red }\n" * 100

  /// Serves while the body runs.
  static func with(_ body: (ConformanceSite) async throws -> Void) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = StaticFiles.Configuration()
    options.paths = .asSpelled
    let logger = Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() }
    let files = try StaticFiles(root: folder.path + "/root", configuration: options, logger: logger)
    // A prepared response belongs to a single server.
    let secureFiles = try StaticFiles(root: folder.path + "/root", configuration: options, logger: logger)
    let certificate = try ServerCertificate.selfSigned(
      commonName: "localhost", names: ["localhost"], addresses: ["127.0.0.1"], days: 2)
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0)])
    configuration.limits.body = 100_000
    configuration.responseHeaders = [.xContentTypeOptions: "nosniff"]
    configuration.inlineResponder = { files.prepared(for: $0, at: $1) }
    let plain = HTTPServer(configuration: configuration, logger: logger) { await respond($0, files) }
    configuration.tls = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    configuration.inlineResponder = { secureFiles.prepared(for: $0, at: $1) }
    let secure = HTTPServer(configuration: configuration, logger: logger) { await respond($0, secureFiles) }
    let site = ConformanceSite(
      port: try await plain.start()[0].port, securePort: try await secure.start()[0].port, certificate: certificate,
      tags: tags(files))
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(site)) } catch { outcome = .failure(error) }
    await plain.stop(within: .milliseconds(200))
    await secure.stop(within: .milliseconds(200))
    try outcome.get()
  }

  /// Files with the modification time of the RFC's example date, and entries that must not be served.
  private static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
    let root = folder.appending(path: "root")
    for path in ["sub", ".well", "sub/.d"] {
      try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
    }
    let files = [
      "index.html": "index", "data.bin": data, "page.css": page, "empty.txt": "", "sub/index.html": "sub", "sub/a b.txt": "blank",
      ".hidden": "no", ".well/x": "no", "sub/.d/x": "no", "../outside.txt": "no", "page.css.bak": "bak", "%2e.txt": "percent",
      "back\\slash.txt": "no",
    ]
    for (path, text) in files {
      let file = root.path + "/" + path
      try Data(text.utf8).write(to: URL(filePath: file))
      let changed = timeval(tv_sec: 784_111_777, tv_usec: 0)
      utimes(file, [changed, changed])
    }
    symlink("../outside.txt", root.path + "/link.txt")
    symlink("..", root.path + "/up")
    symlink("data.bin", root.path + "/inside.bin")
    symlink("sub", root.path + "/inside")
    mkfifo(root.path + "/pipe", 0o600)
    return folder
  }

  private static func tags(_ files: StaticFiles) -> [String: String] {
    func tag(_ path: String, _ fields: HTTPFields) -> String {
      guard let peer = SocketAddress(host: "127.0.0.1", port: 1) else { return "" }
      return files.response(for: Request(method: .get, path: path, headers: fields, peer: peer))?.headers[.eTag] ?? ""
    }
    return [
      "<tag>": tag("/data.bin", [:]), "<page>": tag("/page.css", [:]), "<page-gz>": tag("/page.css", [.acceptEncoding: "gzip"]),
    ]
  }

  @Sendable private static func respond(_ request: Request, _ files: StaticFiles) async -> Response {
    switch request.path {
    case "*": return Response(status: .noContent, headers: [.allow: "GET, HEAD, OPTIONS, POST"])
    case "/sentinel": return .text("sentinel")
    case "/host": return .text(request.host ?? "-")
    case "/ignore": return .text("ignored")
    case "/no-content": return Response(status: .noContent)
    case "/stream":
      return Response(
        status: .ok,
        body: .stream(length: nil) { writer in for part in ["one", "two"] { try await writer.write(Array(part.utf8)) } })
    case "/large": return Response(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 300_000)))
    case let path where path.hasPrefix("/echo"): return await echo(request)
    default: return files.response(for: request) ?? .text("404 Not Found\n", status: .notFound)
    }
  }
}
