import Domain
import FoundationEssentials
import HTTPTypes
import RPC

/// Where the body of an answer came from.
package enum ResponseSource: String, Hashable, Sendable {
  /// The backend sent it, or confirmed it.
  case network
  /// It was kept from before, and the backend was not asked, or not reached.
  case cache
}

extension APIClient {
  /// Makes a call whose answer may be kept (seed 003 §7 and §9).
  ///
  /// A fresh answer is used without asking; any other is confirmed by the backend. Only where the backend cannot be reached
  /// does a stored answer stand for it. What is not as promised is not kept.
  func receive<E: APIEndpoint>(_ type: E.Type, _ call: inout Call) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    let fields = attemptSender.fields(for: call)
    call.fields = fields
    let ticket = cache.ticket(for: call, fields: fields, needsSession: E.requiresAuth)
    var stored: CacheEntry?
    if let ticket { stored = await cache.entry(for: ticket) }
    // Kept by an earlier version, perhaps, that took more.
    if let ticket, let limit = E.answerLimit, let entry = stored, entry.body.count > limit {
      cache.remove(ticket)
      stored = nil
    }
    if let ticket, let entry = stored, entry.isFresh(at: cache.now),
      let decoded: DecodedResponse<E.ResponseBody> = serve(entry, ticket, &call)
    {
      return try await ensureCurrent(decoded)
    }
    call.conditions = stored?.conditions ?? [:]
    // What is kept belongs to one session, so its validators go out under that one or not at all.
    var epoch = ticket?.epoch
    var answer: AttemptResponse
    do throws(NetworkError) {
      answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
      if answer.isNotModified, let ticket, let stored {
        if let decoded: DecodedResponse<E.ResponseBody> = revalidated(stored, answer, ticket) {
          return try await ensureCurrent(decoded)
        }
        // Confirmed was something that this client does not have, or cannot read.
        cache.remove(ticket)
        call.conditions = [:]
        answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
      }
    } catch {
      guard let ticket else { throw error }
      switch error {
      case .offline:
        guard let stored, stored.isUsableOffline(at: cache.now), cache.isStillValid(ticket),
          let decoded: DecodedResponse<E.ResponseBody> = serve(stored, ticket, &call)
        else { throw error }
        return try await ensureCurrent(decoded)
      case .notFound, .forbidden:
        cache.remove(ticket)
        throw error
      default: throw error
      }
    }
    let times = times(of: answer)
    let body = try Self.decode(E.ResponseBody.self, from: answer)
    if let ticket, ticket.epoch == epoch {
      if let entry = CacheEntry(storing: answer.response, request: fields, times: times, allowsHeuristic: ticket.allowsHeuristic)
      {
        cache.store(entry, for: ticket)
      } else {
        cache.remove(ticket)
      }
    }
    return try await ensureCurrent(DecodedResponse(body: body, epoch: epoch, sentAt: answer.sentAt, sentWall: answer.sentWall))
  }

  /// The answer, unless its session is over by now.
  private func ensureCurrent<Body>(_ decoded: DecodedResponse<Body>) async throws(NetworkError) -> DecodedResponse<Body> {
    if let epoch = decoded.epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
    return decoded
  }

  /// The stored answer that a 304 confirms, which is kept as confirmed; nil where it speaks of another, or cannot be read.
  private func revalidated<Body: Decodable>(_ stored: CacheEntry, _ answer: AttemptResponse, _ ticket: CacheTicket)
    -> DecodedResponse<Body>?
  {
    guard let entry = stored.confirmed(by: answer.response, times: times(of: answer)),
      let body = try? Self.decode(Body.self, from: AttemptResponse(stored: entry, row: answer.row, at: answer))
    else { return nil }
    if entry.isStorable { cache.store(entry, for: ticket) } else { cache.remove(ticket) }
    return DecodedResponse(body: body, epoch: ticket.epoch, sentAt: answer.sentAt, sentWall: answer.sentWall)
  }

  /// A stored answer, with a row that says where it came from; nil where it cannot be read, so that it goes.
  private func serve<Body: Decodable>(_ entry: CacheEntry, _ ticket: CacheTicket, _ call: inout Call) -> DecodedResponse<Body>? {
    let response = entry.response(at: cache.now)
    let answer = AttemptResponse(response: response, row: "", sentAt: time.monotonic(), sentWall: time.wall())
    // What it tells was learned by an earlier process perhaps, and must be masked before a row is made of it.
    if let document = answer.document { attemptSender.secrets.learn(fromAnswer: document) }
    guard let body = try? Self.decode(Body.self, from: answer) else {
      cache.remove(ticket)
      return nil
    }
    call.attempts += 1
    attemptSender.recorder.record(
      call, fields: ticket.fields, cached: response, from: answer.sentWall, after: time.monotonic() - answer.sentAt)
    return DecodedResponse(body: body, epoch: ticket.epoch, sentAt: answer.sentAt, sentWall: answer.sentWall, source: .cache)
  }

  private func times(of answer: AttemptResponse) -> CacheTimes {
    CacheTimes(sentAt: answer.sentAt, receivedAt: time.monotonic(), receivedWall: time.wall().timeIntervalSince1970)
  }
}

extension CacheEntry {
  /// The stored response with its age, as it is shown without asking (RFC 9111 §5.1).
  func response(at now: CacheInstant) -> TransportResponse {
    var headers = headers
    headers[.age] = String(age(at: now))
    return TransportResponse(status: 200, headers: headers, body: body)
  }
}

extension AttemptResponse {
  /// A stored answer in place of the one that confirmed it.
  fileprivate init(stored: CacheEntry, row: String, at confirmation: AttemptResponse) {
    self.init(
      response: TransportResponse(status: 200, headers: stored.headers, body: stored.body), row: row, sentAt: confirmation.sentAt,
      sentWall: confirmation.sentWall)
  }
}

extension HTTPCache {
  /// Forgets what an answered call has made untrue.
  func invalidate(after call: Call, _ answer: AttemptResponse) {
    invalidate(
      CacheInvalidation.paths(
        after: call.method, path: call.path, status: answer.response.status, headers: answer.response.headers, origin: origin))
  }
}
