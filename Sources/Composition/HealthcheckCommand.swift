package import ArgumentParser
import CLinux
import Foundation

/// `understudy healthcheck`: asks the console of this machine whether it answers; for containers.
package struct HealthcheckCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit 0 if the console on this machine answers.")

  @Option(help: "Port of the console. (default: UNDERSTUDY_PORT or 8080)") package var port: UInt16?

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// Asks once, for 5 seconds at most; exits 69 where there is no 200.
  package func run() throws {
    let port: UInt16
    do throws(StartFailure) {
      port = try EnvironmentFlags().number("port", given: self.port) ?? 8080
    } catch {
      throw error.reported()
    }
    guard Self.answers(port: port) else { throw StartFailure.unavailable("nothing healthy on port \(port)").reported() }
  }

  /// Whether `GET /healthz` over loopback is answered with 200.
  ///
  /// A blocking socket of its own: the client speaks HTTPS only, and this one question needs nothing else.
  static func answers(port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { return false }
    let request = Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
    var answer = [UInt8](repeating: 0, count: 12)
    var count = 0
    while count < answer.count {
      let read = answer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0) }
      guard read > 0 else { return false }
      count += read
    }
    return String(decoding: answer, as: UTF8.self) == "HTTP/1.1 200"
  }
}
