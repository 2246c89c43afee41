import Glibc
import Server
import Support
import Testing
import Text

@Suite(.timeLimit(.minutes(1))) struct DateTests {
  @Test func everyAnswerTellsTheSecondItWasMadeInAndTheNextSecondIsNoticed() async throws {
    try await RunningServer.with(respond: { _ in .text("x") }) { running in
      let dates = try await RawClient.talk(running.port) { client -> [(Int64, Int64, Int64)] in
        var dates: [(Int64, Int64, Int64)] = []
        // Until three seconds were seen: the value is cached, but not longer than a second.
        while Set(dates.map(\.1)).count < 3 {
          let before = Int64(time(nil))
          client.send(get("/"))
          guard let text = client.answer()["date"] else { return [] }
          let told = HTTPDate.parse(text, now: before) ?? 0
          dates.append((before, told, Int64(time(nil))))
        }
        return dates
      }
      #expect(!dates.isEmpty)
      // The coarse clock of the kernel may be a tick behind.
      #expect(dates.allSatisfy { $0.0 - 1 <= $0.1 && $0.1 <= $0.2 })
    }
  }
}
