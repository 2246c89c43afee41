import Reactor
import Server
import Testing

/// Ten failed attempts a minute for each client, a hundred in total.
struct GuessLimitTests {
  private let limit = GuessLimit()
  private let start = ContinuousClock.now

  private func client(_ number: Int) throws -> SocketAddress {
    try #require(SocketAddress(host: "192.0.2.\(number)", port: 0))
  }

  /// Whether an attempt succeeded, or the seconds to wait.
  private func attempt(_ number: Int, isRight: Bool = false, at seconds: Double) throws -> (found: Bool, wait: Int?) {
    let client = try client(number)
    do throws(GuessLimit.Refusal) {
      let found = try limit.attempt(by: client, at: start + .seconds(seconds)) { isRight ? true : nil }
      return (found != nil, nil)
    } catch {
      return (false, error.retryAfterSeconds)
    }
  }

  @Test func waitingExactlyAsLongAsToldWorks() throws {
    for number in 0..<10 { #expect(try attempt(1, at: Double(number)).wait == nil) }
    #expect(try attempt(1, isRight: true, at: 9.5).wait == 51)
    #expect(try attempt(1, isRight: true, at: 59.999).wait == 1)
    #expect(try attempt(2, isRight: true, at: 9.5).found, "another client is not held up")
    #expect(try attempt(1, isRight: true, at: 60).found)
    // One of the failures has expired, and the successful attempt did not count.
    #expect(try attempt(1, at: 60).wait == nil)
    #expect(try attempt(1, at: 60).wait == 1)
  }

  @Test func aHundredInAll() throws {
    for number in 0..<100 { #expect(try attempt(number / 10 + 1, at: 0).wait == nil) }
    #expect(try attempt(99, isRight: true, at: 1).wait == 59)
    #expect(limit.counts(at: start).all == 100 && limit.counts(at: start).client == 10)
    #expect(try attempt(99, isRight: true, at: 60).found)
    #expect(limit.counts(at: start + .seconds(60)) == (0, 0))
  }

  @Test func rightOnesNeverCount() throws {
    for _ in 0..<1000 { #expect(try attempt(1, isRight: true, at: 0).found) }
  }

  @Test func itIsToldOnceAMinute() throws {
    let client = try client(1)
    func isTold(at seconds: Double) throws -> Bool {
      do throws(GuessLimit.Refusal) {
        _ = try limit.attempt(by: client, at: start + .seconds(seconds)) { Bool?.none }
      } catch {
        return error.isFirst
      }
      return false
    }
    for _ in 0..<10 { #expect(try !isTold(at: 0)) }
    #expect(try isTold(at: 1) && !isTold(at: 2) && !isTold(at: 59))
    for _ in 0..<10 { _ = try isTold(at: 60) }
    #expect(try !isTold(at: 60.5) && isTold(at: 61) && !isTold(at: 62))
  }

  @Test func ofManyTriesAtOnceTenAreLookedAt() async throws {
    let client = try client(1)
    let looked = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<500 {
        group.addTask { [limit, start] in
          do throws(GuessLimit.Refusal) {
            _ = try limit.attempt(by: client, at: start) { Bool?.none }
            return true
          } catch {
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(looked == 10)
  }
}
