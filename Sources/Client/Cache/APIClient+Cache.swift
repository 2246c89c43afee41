import BackendFile
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import RPC

/// Where the body of a response came from.
package enum ResponseSource: String, Hashable, Sendable {
  /// The backend sent or confirmed it.
  case network
  /// The cache, without asking, because the response was fresh.
  case freshCache
  /// The cache, because the backend is unreachable.
  case cache
}

extension APIClient {
  /// Makes a call whose response may be cached (seed-rules I-27 "Look in memory", I-33 "cached answer is returned first").
  ///
  /// A fresh response is used as it is; any other is revalidated. A stale one is used only if the backend is unreachable. A
  /// response that cannot be decoded, or that a fault rule made, is not stored: it must not outlive its rule.
  func receive<E: APIEndpoint>(_ type: E.Type, _ call: inout Call) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    let fields = attemptSender.fields(for: call)
    call.fields = fields
    let ticket = cache.ticket(for: call, fields: fields, needsSession: E.requiresAuth)
    var stored: CacheEntry?
    if let ticket { stored = await cache.entry(for: ticket) }
    // An earlier version may have stored more.
    if let ticket, let limit = E.answerLimit, let entry = stored, entry.body.count > limit {
      cache.remove(ticket)
      stored = nil
    }
    if let ticket, let entry = stored, ticket.accepts(entry), entry.isFresh(at: cache.now),
      !attemptSender.faults.hasAnswer(for: call, isAuthorized: E.requiresAuth)
    {
      if let decoded: DecodedResponse<E.ResponseBody> = serve(entry, ticket, &call, as: .freshCache) {
        return try await ensureCurrent(decoded)
      }
      // It cannot be decoded, so the backend must send all of it again.
      stored = nil
    }
    call.conditions = stored?.conditions ?? [:]
    // A stored response belongs to one session, so its validators may only be sent under that session.
    var epoch = ticket?.epoch
    var answer: AttemptResponse
    do throws(NetworkError) {
      answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
      if answer.isNotModified, let ticket, let stored {
        if let decoded: DecodedResponse<E.ResponseBody> = revalidated(stored, answer, ticket) {
          return try await ensureCurrent(decoded)
        }
        // The 304 confirms another response, or the stored one cannot be decoded.
        cache.remove(ticket)
        call.conditions = [:]
        answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
      }
    } catch {
      return try await instead(of: error, stored, ticket, &call)
    }
    let times = times(of: answer)
    let body = try Self.decode(E.ResponseBody.self, from: answer)
    if let ticket, ticket.epoch == epoch, !answer.isOfFault {
      if let entry = CacheEntry(storing: answer.response, request: fields, times: times, allowsHeuristic: ticket.allowsHeuristic)
      {
        cache.store(entry, for: ticket)
      } else {
        cache.remove(ticket)
      }
    }
    return try await ensureCurrent(DecodedResponse(body: body, epoch: epoch, sentAt: answer.sentAt, sentWall: answer.sentWall))
  }

  /// Makes a call that a backend file describes; its last good response is used while the backend is unreachable.
  ///
  /// The cache stores the file's converted response, for this session alone. The backend's response decides whether it may be
  /// stored. Responses are not revalidated, because a file writes no conditions.
  func receiveKept<E: APIEndpoint>(
    _ type: E.Type, _ call: inout Call
  ) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    let ticket = cache.ticket(for: call, fields: [:], needsSession: E.requiresAuth)
    var epoch = ticket?.epoch
    let answer: AttemptResponse
    do throws(NetworkError) {
      answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
    } catch {
      var stored: CacheEntry?
      if error == .offline, let ticket { stored = await cache.entry(for: ticket) }
      // Its row shows the request that would have been sent.
      call.wire = attemptSender.lastRequest(of: call).map { WireRequest(unrendered: ($0.method, $0.path.source)) }
      return try await instead(of: error, stored, ticket, &call)
    }
    let body = try Self.decode(E.ResponseBody.self, from: answer)
    if let ticket, ticket.epoch == epoch, !answer.isOfFault, let contract = answer.contract {
      if !call.forbidsStoring, let entry = CacheEntry(keeping: contract.bytes, of: answer.response, times: times(of: answer)) {
        cache.store(entry, for: ticket)
      } else {
        cache.remove(ticket)
      }
    }
    return try await ensureCurrent(DecodedResponse(body: body, epoch: epoch, sentAt: answer.sentAt, sentWall: answer.sentWall))
  }

  /// Returns the stored response in place of a failure if the backend is unreachable; else throws the failure.
  private func instead<Body: Decodable>(
    of error: NetworkError, _ stored: CacheEntry?, _ ticket: CacheTicket?, _ call: inout Call
  ) async throws(NetworkError) -> DecodedResponse<Body> {
    guard let ticket else { throw error }
    switch error {
    case .offline:
      guard let stored, stored.isUsableOffline(at: cache.now), cache.isStillValid(ticket),
        let decoded: DecodedResponse<Body> = serve(stored, ticket, &call, as: .cache)
      else { throw error }
      return try await ensureCurrent(decoded)
    case .notFound, .forbidden:
      cache.remove(ticket)
      throw error
    default: throw error
    }
  }

  /// Returns the response; throws `sessionEnded` if its session is over.
  private func ensureCurrent<Body>(_ decoded: DecodedResponse<Body>) async throws(NetworkError) -> DecodedResponse<Body> {
    if let epoch = decoded.epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
    return decoded
  }

  /// Returns and updates the stored response that a 304 confirms; nil if the 304 is about another one, or it cannot be decoded.
  private func revalidated<Body: Decodable>(_ stored: CacheEntry, _ answer: AttemptResponse, _ ticket: CacheTicket)
    -> DecodedResponse<Body>?
  {
    guard let entry = stored.confirmed(by: answer.response, times: times(of: answer)),
      let body = try? Self.decode(Body.self, from: AttemptResponse(stored: entry, row: answer.row, at: answer))
    else { return nil }
    if answer.isOfFault {
      // The stored response stays as the backend sent it.
    } else if entry.isStorable {
      cache.store(entry, for: ticket, isConfirmed: true)
    } else {
      cache.remove(ticket)
    }
    return DecodedResponse(body: body, epoch: ticket.epoch, sentAt: answer.sentAt, sentWall: answer.sentWall)
  }

  /// Returns a stored response and records a row for it; removes it and returns nil if it cannot be decoded.
  private func serve<Body: Decodable>(
    _ entry: CacheEntry, _ ticket: CacheTicket, _ call: inout Call, as source: ResponseSource
  ) -> DecodedResponse<Body>? {
    let response = entry.response(at: cache.now)
    let answer = AttemptResponse(response: response, row: "", sentAt: time.monotonic(), sentWall: time.wall())
    // An earlier process may have received it, so its secrets must be registered before a row contains it.
    if let document = answer.document { attemptSender.secrets.learn(fromAnswer: document) }
    guard let body = try? Self.decode(Body.self, from: answer) else {
      cache.remove(ticket)
      return nil
    }
    call.attempts += 1
    attemptSender.recorder.record(
      call, fields: ticket.fields, cached: response, from: answer.sentWall, after: time.monotonic() - answer.sentAt)
    return DecodedResponse(
      body: body, epoch: ticket.epoch, sentAt: answer.sentAt, sentWall: answer.sentWall, source: source,
      storedAt: Date(timeIntervalSince1970: entry.times.receivedWall))
  }

  private func times(of answer: AttemptResponse) -> CacheTimes {
    CacheTimes(sentAt: answer.sentAt, receivedAt: time.monotonic(), receivedWall: time.wall().timeIntervalSince1970)
  }
}

extension CacheEntry {
  /// The stored response with an `Age` header, as used without revalidation (RFC 9111 §5.1).
  func response(at now: CacheInstant) -> TransportResponse {
    var headers = headers
    headers[.age] = String(age(at: now))
    return TransportResponse(status: 200, headers: headers, body: body)
  }
}

extension AttemptResponse {
  /// Creates a response from the stored one that `confirmation` confirmed.
  fileprivate init(stored: CacheEntry, row: String, at confirmation: AttemptResponse) {
    self.init(
      response: TransportResponse(status: 200, headers: stored.headers, body: stored.body), row: row, sentAt: confirmation.sentAt,
      sentWall: confirmation.sentWall)
  }
}

extension HTTPCache {
  /// Invalidates the stored responses that a call has made outdated.
  func invalidate(after call: Call, _ answer: AttemptResponse) {
    invalidate(
      CacheInvalidation.paths(
        after: call.method, path: call.path, status: answer.response.status, headers: answer.response.headers, origin: origin))
  }
}

/// Which stored responses a call invalidates (RFC 9111 §4.4).
enum CacheInvalidation {
  /// The other paths whose responses a call changes.
  private static let changes: [String: [String]] = [
    AccountEndpoints.GetOrCreateProfile.path: [AccountEndpoints.Me.path],
    AccountEndpoints.SetActiveProfile.path: [AccountEndpoints.Me.path],
    AccountEndpoints.RequestDeletion.path: [AccountEndpoints.Me.path],
    CueEndpoints.ShuffleCues.path: [CueEndpoints.GetCues.path],
    CueEndpoints.UpdateCueStage.path: [CueEndpoints.GetCues.path],
  ]

  /// The paths to invalidate after a response with this status; none for a safe method or an error.
  ///
  /// `Location` and `Content-Location` count only within the backend's own `origin`.
  static func paths(
    after method: HTTPRequest.Method, path: String, status: Int, headers: HTTPFields, origin: String
  ) -> [String] {
    guard ![.get, .head, .options, .trace].contains(method), (200...399).contains(status) else { return [] }
    let named = [headers[.location], headers[.contentLocation]].compactMap { $0.flatMap { Self.path(of: $0, origin: origin) } }
    return [path] + (changes[path] ?? []) + named
  }

  private static func path(of reference: String, origin: String) -> String? {
    var rest = reference[...]
    if rest.lowercased().hasPrefix(origin.lowercased() + "/") { rest = rest.dropFirst(origin.count) }
    guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { return nil }
    return String(rest.prefix { $0 != "?" && $0 != "#" })
  }
}
