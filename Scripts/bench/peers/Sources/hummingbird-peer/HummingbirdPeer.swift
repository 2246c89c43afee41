import Hummingbird
import Logging

/// Hummingbird with the routes that are measured. usage: hummingbird-peer PORT ROOT
@main
struct HummingbirdPeer {
  /// Serves until it is ended.
  static func main() async throws {
    guard CommandLine.arguments.count == 3, let port = Int(CommandLine.arguments[1]) else { return }
    let router = Router()
    // Files as its documentation shows them: read for each request, with its own conditions.
    router.add(middleware: FileMiddleware(CommandLine.arguments[2]))
    router.get("/tiny") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
        body: .init(byteBuffer: ByteBuffer(string: #"{"ok":true,"name":"probe"}"#)))
    }
    router.get("/tiny-async") { _, _ in
      await Task.yield()
      return Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
        body: .init(byteBuffer: ByteBuffer(string: #"{"ok":true,"name":"probe"}"#)))
    }
    var logger = Logger(label: "peer")
    logger.logLevel = .warning
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
    try await application.runService()
  }
}
