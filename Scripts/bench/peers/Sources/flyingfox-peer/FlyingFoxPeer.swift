import FlyingFox
import Foundation

/// FlyingFox with the routes that are measured. usage: flyingfox-peer PORT ROOT
@main
struct FlyingFoxPeer {
  /// Serves until it is ended.
  static func main() async throws {
    guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[1]) else { return }
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    let tiny = Data(#"{"ok":true,"name":"probe"}"#.utf8)
    await server.appendRoute("GET /tiny") { _ in
      HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: tiny)
    }
    await server.appendRoute("GET /tiny-async") { _ in
      await Task.yield()
      return HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: tiny)
    }
    await server.appendRoute(
      "GET /*", to: DirectoryHTTPHandler(root: URL(fileURLWithPath: CommandLine.arguments[2]), serverPath: "/"))
    try await server.run()
  }
}
