import Support
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(2)))
struct PostgreSQLSessionTests {
  @Test func aNoticeIsToldOnceItIsThere() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      let session = try await engine.session()
      let (notices, notice) = AsyncStream.makeStream(of: Void.self)
      try await session.listen(to: "channel", onNotice: { notice.yield() }, onLoss: {})
      _ = try await other.write { try $0.rows("SELECT pg_notify('channel', '')") }
      for await _ in notices { break }
    }
  }

  /// Nothing is left in the socket then that would tell of it.
  @Test func aNoticeThatComesWithAnAnswerIsToldToo() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, _ in
      let session = try await engine.session()
      let (notices, notice) = AsyncStream.makeStream(of: Void.self)
      try await session.listen(to: "channel", onNotice: { notice.yield() }, onLoss: {})
      _ = try await session.perform { try $0.rows("SELECT pg_notify('channel', '')") }
      for await _ in notices { break }
    }
  }

  @Test func aSessionThatEndsIsToldAndFreesItsLocks() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      let session = try await engine.session()
      let (losses, loss) = AsyncStream.makeStream(of: Void.self)
      try await session.listen(to: "channel", onNotice: {}, onLoss: { loss.yield() })
      #expect(try await session.lock(7))
      let second = try await other.session()
      #expect(try await !second.lock(7))
      _ = try await other.read {
        try $0.rows(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()")
      }
      for await _ in losses { break }
      #expect(try await eventually { try await second.lock(7) })
    }
  }
}
