import HTTPTypes
import Logging
import Reactor
import Wire

/// The life of one connection: request after request on its loop, in order, until one side has had enough.
struct Connection: Sendable {
  let core: ServerCore
  let desk: LoopDesk
  let io: ConnectionIO
  let id: UInt64
  let peer: SocketAddress

  private enum Arrival {
    case head(RequestHead)
    case refused(HTTPResponse.Status)
    case gone
  }

  /// How a connection goes on after an answer.
  enum Sequel {
    case next, close, linger
  }

  /// Serves the connection until it ends, and closes it.
  nonisolated(nonsending) func run() async {
    let lane = FastLane(core: core, desk: desk, io: io)
    let offer = { lane.offer() }
    while true {
      let sequel: Sequel
      switch await nextHead(offer) {
      case .gone: sequel = .close
      case .refused(let status):
        io.sequence += 1
        sequel = await refuse(status, .get, io.sequence)
      case .head(let head):
        io.sequence += 1
        sequel = await serve(head, io.sequence)
      }
      switch sequel {
      case .next:
        // A client that never pauses must leave turns to the others of the loop.
        if io.sequence % 128 == 0 { await Task.yield() }
      case .close: return io.stream.close()
      case .linger: return await io.stream.closeLingering()
      }
    }
  }

  nonisolated(nonsending) private func nextHead(_ offer: @escaping () -> Bool) async -> Arrival {
    var deadline: ContinuousClock.Instant?
    var grace: ContinuousClock.Instant?
    while true {
      do throws(RequestError) {
        switch try io.next() {
        case .head(let head): return .head(head)
        case .needMore: break
        case .body, .end: continue
        }
      } catch {
        return .refused(error.status)
      }
      let isIdle = io.isIdle
      // From the first byte on the time runs; drops of more bytes do not stretch it.
      if !isIdle, deadline == nil { deadline = ContinuousClock.now + core.limits.headTimeout }
      io.stream.interruptsIdleReads = isIdle && grace == nil
      defer { io.stream.interruptsIdleReads = false }
      let start = io.stream.loop.turnTime
      do throws(StreamError) {
        let limit = isIdle ? grace ?? start + core.limits.idleTimeout : deadline
        guard try await io.fill(deadline: limit, offer: isIdle ? offer : nil) else { return .gone }
      } catch {
        // At a stop a busy client's next request is under way already, as a rule: it is heard once more.
        if error == .stopping, isIdle, grace == nil, ContinuousClock.now - max(start, io.usedAt ?? start) < .seconds(1) {
          grace = .now + Self.stopGrace
          continue
        }
        return error == .timedOut && !isIdle ? .refused(.requestTimeout) : .gone
      }
    }
  }

  /// How long a connection that was busy within the last second may still bring a request once the server stops.
  private static let stopGrace = Duration.milliseconds(250)

  nonisolated(nonsending) private func refuse(
    _ status: HTTPResponse.Status, _ method: HTTPRequest.Method, _ sequence: UInt64
  ) async -> Sequel {
    let exchange = Exchange(method: method, version: .http11, wantsKeepAlive: false)
    _ = await write(core.refusal(status), exchange)
    core.metrics.refuse(status.code)
    core.accessLog?.writeRefusal(status: status.code, request: Request.name(id, sequence), peer: peer)
    return .linger
  }

  nonisolated(nonsending) private func serve(_ head: RequestHead, _ sequence: UInt64) async -> Sequel {
    if case .length(let count) = head.framing, count > UInt64(max(core.limits.body, 0)) {
      return await refuse(.contentTooLarge, head.method, sequence)
    }
    let start = io.stream.loop.turnTime
    let written = core.accessLog == nil ? 0 : io.written
    core.metrics.inFlight.add()
    defer { core.metrics.inFlight.add(-1) }
    var request = Request(
      method: head.method, path: head.path, query: head.query, headers: head.fields, peer: peer, isTLS: io.stream.isTLS)
    (request.connection, request.sequence, request.io) = (id, sequence, io)
    if head.framing == .none {
      io.body = .none
    } else {
      io.body = head.expectsContinue ? .awaitingContinue : .unread
      request.body = RequestBody(io)
    }
    let response = await core.respond(request)
    let leftover = rest(of: head)
    let exchange = Exchange(
      method: head.method, version: head.version, wantsKeepAlive: head.keepAlive && leftover != .unreadable)
    let isKept = await write(response, exchange)
    record(head, request, response, ContinuousClock.now - start, written)
    // Whatever the peer still sends would make the kernel reset the connection, and the reset can eat the answer.
    guard isKept else { return .linger }
    if leftover == .drainable { return await io.drainBody() ? .next : .linger }
    return .next
  }

  private enum Leftover { case none, drainable, unreadable }

  /// What the handler left of the body, and with it whether the connection can go on.
  private func rest(of head: RequestHead) -> Leftover {
    let state = io.body
    // From here on the body is the connection's: a handler's leftover task cannot take bytes of the next request.
    io.body = .finished
    switch state {
    case .finished: return .none
    case .none: return io.finishBody() ? .none : .unreadable
    case .reading, .failed: return .unreadable
    // Whether the body comes is the client's to decide, so the verdict does not hang on whether it came already.
    case .awaitingContinue: return .unreadable
    case .unread:
      if io.finishBody() { return .none }
      if case .length(let count) = head.framing, count > UInt64(ConnectionIO.highWater) { return .unreadable }
      return .drainable
    }
  }

  private func record(_ head: RequestHead, _ request: Request, _ response: Response, _ time: Duration, _ written: Int) {
    var isStream = false
    if case .events = response.body { isStream = true }
    desk.metrics.record(
      route: response.route, method: head.method, status: response.status.code, time: isStream ? nil : time)
    guard let log = core.accessLog else { return }
    log.write(
      AccessLog.Line(
        request: request.requestID, method: head.method, path: head.path, status: response.status.code,
        bytes: io.written - written, time: time, peer: peer))
  }
}
