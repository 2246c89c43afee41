import Reactor
import Locking
import Support
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct ConnectionIOTests {
  /// After a partial response, anything sent later would be read as the rest of it: another response's bytes in its body.
  @Test func nothingIsSentAfterAWriteThatFailed() async throws {
    let group = try EventLoopGroup.start(count: 1)
    let hasFailed = Latch()
    let (room, makeRoom) = AsyncStream.makeStream(of: Void.self)
    let (results, report) = AsyncStream.makeStream(of: [StreamError?].self)
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Listener.bind(address, on: group) { stream, _, _ in
      var limits = ServerLimits()
      limits.writeTimeout = .milliseconds(100)
      let io = ConnectionIO(stream: stream, limits: limits, budget: BodyBudget(limit: limits.bodies), metrics: ServerMetrics())
      let first = await Self.failure(io, [UInt8](repeating: 0x61, count: 16 << 20))
      hasFailed.set()
      for await _ in room { break }
      report.yield([first, await Self.failure(io, Array("second".utf8))])
      stream.close()
    }
    let rest = try await RawClient.talk(listener.localAddress.port, receiveBuffer: 16_384) { client in
      OwnThread.wait { hasFailed.isSet }
      var received: [UInt8] = []
      // What has gone out is taken, so that there is room for more.
      while client.waitReadable(milliseconds: 200) { received += client.receive() ?? [] }
      makeRoom.yield()
      return received + client.rest()
    }
    #expect(!rest.isEmpty && rest.allSatisfy { $0 == 0x61 })
    #expect(await results.first { _ in true } == [.timedOut, .closed])
    await listener.close()
    await group.stop()
  }

  private static func failure(_ io: ConnectionIO, _ bytes: [UInt8]) async -> StreamError? {
    io.append { $0 += bytes }
    do throws(StreamError) {
      try await io.flush()
      return nil
    } catch {
      return error
    }
  }
}

/// A flag that is set once.
private final class Latch: Sendable {
  private let flag = AtomicFlag()
  var isSet: Bool { flag.isSet }
  func set() { flag.set() }
}
