import Reactor
import Wire

/// Reading a request's body, for the handler and after it.
extension ConnectionIO {
  /// The whole body on the connection's own loop; see ``RequestBody/collect(upTo:)``.
  func collectBody(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    let outcome: Result<[UInt8], BodyError> = await withTaskExecutorPreference(stream.loop) {
      guard let before = self.beginBody() else { return .failure(.disconnected) }
      let limit = min(limit, self.limits.body)
      do throws(BodyError) {
        // One that is announced as too large is not waited for.
        guard self.announcedLength ?? 0 <= limit else { throw .tooLarge }
        return .success(try await self.readBody(before, limit))
      } catch {
        self.body = .failed
        self.releaseBody()
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  nonisolated(nonsending) private func readBody(_ before: BodyState, _ limit: Int) async throws(BodyError) -> [UInt8] {
    var result: [UInt8] = []
    var mustSendContinue = before == .awaitingContinue
    let start = ContinuousClock.now
    while true {
      switch try event() {
      case .body(let range):
        mustSendContinue = false
        guard result.count + range.count <= limit else { throw .tooLarge }
        guard reserveBody(range.count) else { throw .overBudget }
        copyBody(range, to: &result)
      case .end:
        body = .finished
        return result
      case .head: throw .malformed
      case .needMore:
        if mustSendContinue {
          append { $0.append(contentsOf: ChunkFraming.continueLine) }
          mustSendContinue = false
        }
        // Each received byte buys its share of time, so a sender above the rate is never cut off.
        let allowance = limits.bodyTimeout + .milliseconds(result.count * 1000 / max(limits.bodyRate, 1))
        try await receive(by: start + allowance)
      }
    }
  }

  /// Reads to the body's end without keeping it, if that is near: false where it is not or the sender is slow.
  nonisolated(nonsending) func drainBody() async -> Bool {
    var dropped = 0
    let deadline = ContinuousClock.now + .seconds(5)
    while dropped <= Self.highWater {
      switch try? next() {
      case .body(let range): dropped += range.count
      case .end: return true
      case .needMore:
        guard (try? await fill(deadline: deadline)) == true else { return false }
      case .head, nil: return false
      }
    }
    return false
  }

  /// Skips what is left of the body and has arrived already; whether that was all.
  func finishBody() -> Bool {
    while true {
      switch try? next() {
      case .body: continue
      case .end: return true
      case .head, .needMore, nil: return false
      }
    }
  }

  private func event() throws(BodyError) -> RequestParser.Event {
    do throws(RequestError) {
      return try next()
    } catch {
      throw error == .contentTooLarge ? .tooLarge : .malformed
    }
  }

  nonisolated(nonsending) private func receive(by deadline: ContinuousClock.Instant) async throws(BodyError) {
    do throws(StreamError) {
      guard try await fill(deadline: deadline) else { throw .closed }
    } catch {
      throw error == .timedOut ? .timedOut : .disconnected
    }
  }
}
