import Reactor
import Wire

/// Reading and draining a request's body.
extension ConnectionIO {
  /// Reads the whole body on the connection's event loop; see ``RequestBody/collect(upTo:)``.
  func collectBody(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    let outcome: Result<[UInt8], BodyError> = await withTaskExecutorPreference(stream.loop) {
      guard let before = self.beginBody() else { return .failure(.disconnected) }
      let limit = min(limit, self.limits.body)
      do throws(BodyError) {
        // Don't wait for a body whose announced length is over the limit.
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

  /// Reads the whole body in pieces on the connection's event loop; see ``RequestBody/read(upTo:inPiecesOf:_:)``.
  func streamBody(
    upTo limit: Int, inPiecesOf size: Int, _ take: @Sendable @escaping ([UInt8]) async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(stream.loop) {
      guard let before = self.beginBody() else { throw BodyError.disconnected }
      defer { self.releaseBody() }
      do {
        guard self.announcedLength ?? 0 <= limit else { throw BodyError.tooLarge }
        try await self.readBody(before, limit, size, take)
      } catch {
        self.body = .failed
        throw error
      }
    }
  }

  nonisolated(nonsending) private func readBody(
    _ before: BodyState, _ limit: Int, _ size: Int, _ take: @Sendable @escaping ([UInt8]) async throws -> Void
  ) async throws {
    var (piece, count): ([UInt8], Int) = ([], 0)
    var mustSendContinue = before == .awaitingContinue
    var start = ContinuousClock.now
    while true {
      switch try event() {
      case .body(let range):
        mustSendContinue = false
        count += range.count
        guard count <= limit else { throw BodyError.tooLarge }
        guard reserveBody(range.count) else { throw BodyError.overBudget }
        copyBody(range, to: &piece)
        guard piece.count >= size else { continue }
      case .end:
        if !piece.isEmpty { try await take(piece) }
        body = .finished
        return
      case .head: throw BodyError.malformed
      case .needMore:
        if mustSendContinue {
          append { $0.append(contentsOf: ChunkFraming.continueLine) }
          mustSendContinue = false
        }
        let allowance = limits.bodyTimeout + .milliseconds(count * 1000 / max(limits.bodyRate, 1))
        try await receive(by: start + allowance)
        continue
      }
      let began = ContinuousClock.now
      try await take(piece)
      piece.removeAll(keepingCapacity: true)
      releaseBody()
      // The sender had to wait meanwhile.
      start += ContinuousClock.now - began
    }
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
        // Each received byte extends the deadline by its share, so a sender above the minimum rate is never cut off.
        let allowance = limits.bodyTimeout + .milliseconds(result.count * 1000 / max(limits.bodyRate, 1))
        try await receive(by: start + allowance)
      }
    }
  }

  /// Reserves bytes of the body in the budget; returns false if the budget is exhausted.
  func reserveBody(_ count: Int) -> Bool {
    guard budget.reserve(count) else { return false }
    reservedBodyBytes += count
    return true
  }

  /// Releases the body's bytes in the budget.
  func releaseBody() {
    guard reservedBodyBytes > 0 else { return }
    budget.release(reservedBodyBytes)
    reservedBodyBytes = 0
  }

  /// Marks the body as being read. Returns its previous state, or nil if it cannot be read.
  func beginBody() -> BodyState? {
    switch body {
    case .unread, .awaitingContinue:
      defer { body = .reading }
      return body
    case .none, .reading, .finished, .failed: return nil
    }
  }

  /// Discards the rest of the body if it is short. Returns false if it is not, or if the client is too slow.
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

  /// Skips the part of the body that has already arrived; returns whether the body is complete.
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
