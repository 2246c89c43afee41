import Foundation
import HTTPTypes
import Logging
import RPC
import Support
import Testing
import Vault

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct BackendListenerTests {
  private let logger: Logger = {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }()

  private func start(_ probe: BackendProbe, _ identity: BackendListener.Identity = .ephemeral) async throws -> BackendListener {
    try await BackendListener.start(probe.backend, identity: identity, logger: logger)
  }

  private func exchange(
    _ listener: BackendListener, _ method: String, _ path: String, body: String = "", fields: [String] = []
  ) async throws -> String {
    let port = try #require(UInt16(listener.origin.split(separator: ":").last ?? ""))
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close", "X-Device-ID: device-one"] + fields
      + (body.isEmpty ? [] : ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"])
    return try await TLSExchange.run(
      port: port, trusting: listener.certificatePEM, request: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  @Test func aLoginOverTLS() async throws {
    let probe = try await BackendProbe()
    let listener = try await start(probe)
    #expect(listener.origin.hasPrefix("https://127.0.0.1:"))
    let asked = try await exchange(
      listener, "POST", "/rpc/request_magic_link", body: "{\"identifier\":\"ana@example.com\"}",
      fields: ["X-Request-ID: over-tls"])
    #expect(asked.hasPrefix("HTTP/1.1 200"))
    #expect(asked.lowercased().contains("\r\nx-request-id: over-tls\r\n"))
    let message = try #require(await probe.backend.inbox.messages(to: nil, wait: .seconds(10)).first)
    let login = try await exchange(listener, "POST", "/rpc/login_with_magic_token", body: "{\"token\":\"\(try message.token)\"}")
    #expect(login.hasPrefix("HTTP/1.1 200"))
    let json = try #require(login.range(of: "\r\n\r\n").map { String(login[$0.upperBound...]) })
    let tokens = try JSONDecoder().decode(TokenPair.self, from: Data(json.utf8))
    let me = try await exchange(listener, "GET", "/rpc/me", fields: ["Authorization: Bearer \(tokens.accessToken)"])
    #expect(me.hasPrefix("HTTP/1.1 200") && me.contains("\"email\":\"ana@example.com\""))
    let logout = try await exchange(
      listener, "POST", "/app/api/logout", body: "{}", fields: ["Authorization: Bearer \(tokens.accessToken)"])
    #expect(logout.hasPrefix("HTTP/1.1 204"))
    await listener.stop(within: .seconds(5))
    await #expect(throws: TLSExchangeError.self) { try await exchange(listener, "GET", "/rpc/app_config") }
  }

  @Test func refusalsHaveTheShapeOfAnError() async throws {
    let listener = try await start(try await BackendProbe())
    let head = try await exchange(listener, "HEAD", "/rpc/app_config")
    #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
    let broken = try await exchange(listener, "GET", "/rpc/me", fields: ["bad field"])
    #expect(broken.hasPrefix("HTTP/1.1 400") && broken.contains("\"code\":\"invalid_request\""))
    let large = try await exchange(
      listener, "POST", "/rpc/login_with_code", fields: ["Content-Type: application/json", "Content-Length: 1048577"])
    #expect(large.hasPrefix("HTTP/1.1 413") && large.contains("\"code\":\"payload_too_large\""))
    let missing = try await exchange(listener, "GET", "/nothing")
    #expect(missing.hasPrefix("HTTP/1.1 404") && missing.lowercased().contains("\r\nx-content-type-options: nosniff\r\n"))
    await listener.stop(within: .seconds(5))
  }

  @Test func theCertificateIsCreatedOnceAndIsPrivate() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("tls")
    let probe = try await BackendProbe()
    let first = try await start(probe, .folder(path))
    #expect(try ServerCertificate.pin(ofCertificatePEM: first.certificatePEM) == first.pin)
    for name in ["certificate.pem", "private-key.pem"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
    let second = try await start(probe, .folder(path))
    #expect(second.pin == first.pin && second.origin != first.origin)
    #expect(try await exchange(second, "GET", "/rpc/app_config").hasPrefix("HTTP/1.1 200"))
    await first.stop(within: .zero)
    await second.stop(within: .zero)
  }

  @Test func aMismatchedPairIsReplacedAndAnExposedKeyRefused() async throws {
    let folder = try TemporaryFolder()
    let probe = try await BackendProbe()
    let first = try await start(probe, .folder(folder.path))
    await first.stop(within: .zero)
    // The state after a crash between the two writes.
    try ServerIdentity.store(try ServerIdentity.make(), folder: folder.path)
    try first.certificatePEM.write(toFile: folder.file("certificate.pem"), atomically: false, encoding: .utf8)
    let second = try await start(probe, .folder(folder.path))
    #expect(second.pin != first.pin)
    await second.stop(within: .zero)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("private-key.pem"))
    await #expect(throws: BackendStartError.self) { try await start(probe, .folder(folder.path)) }
  }
}
