import HTTPTypes
import Logging
import Reactor
import Wire

/// One client connection: serves request after request, in order, on its event loop until either side ends it.
struct Connection: Sendable {
  let core: ServerCore
  let context: EventLoopContext
  let io: ConnectionIO
  let id: UInt64
  let peer: SocketAddress

  /// The result of waiting for a request. Heads and rejections are stored in `io`, which keeps the async frames of idle connections
  /// small.
  private enum Arrival { case head, refused, disconnected }

  /// The next step of the connection after a response.
  enum NextStep {
    case next, close, linger
  }

  /// Serves requests until the connection ends, then closes it.
  @inline(never)
  nonisolated(nonsending) func run() async {
    let inlineResponder = InlineResponder(core: core, context: context, io: io)
    let tryRespond = { inlineResponder.tryRespond() }
    while true {
      let nextStep: NextStep
      switch await nextHead(tryRespond) {
      case .disconnected: nextStep = .close
      case .refused:
        io.sequence += 1
        nextStep = await refuse(io.refusal, .get, io.sequence)
      case .head:
        io.sequence += 1
        nextStep = await serveParsed(io.sequence)
      }
      switch nextStep {
      case .next:
        // A client that never pauses must not starve the other connections of the loop.
        if io.sequence % 128 == 0 { await Task.yield() }
      case .close: return io.stream.close()
      case .linger: return await io.stream.closeLingering()
      }
    }
  }

  /// Responds that the server has too many connections, then closes this one.
  @inline(never)
  nonisolated(nonsending) func rejectOverLimit() async {
    let exchange = ServedExchange(method: .get, version: .http11, wantsKeepAlive: false)
    _ = await write(core.refusal(RefusedRequest(status: .serviceUnavailable)), exchange)
    core.metrics.refuse(503)
    await io.stream.closeLingering()
  }

  @inline(never)
  nonisolated(nonsending) private func nextHead(_ tryRespond: @escaping () -> Bool) async -> Arrival {
    io.wait = ConnectionIO.WaitState()
    while true {
      if let arrival = parseReceived() { return arrival }
      do throws(StreamError) {
        if let idleDeadline = beginWait(), try await io.waitWhileIdle(deadline: idleDeadline, tryConsume: tryRespond) { continue }
        guard try await io.fill(deadline: io.wait.deadline) else { return endWait(nil) }
      } catch {
        if let arrival = arrival(after: error) { return arrival }
      }
    }
  }

  // The next functions are kept out of the async frames, which idle connections keep in memory: the frames would be four times as
  // large.

  /// Starts a wait for bytes; returns the idle deadline, or nil if a request has begun.
  @inline(never)
  private func beginWait() -> ContinuousClock.Instant? {
    io.wait.isIdle = io.isIdle
    io.wait.start = io.stream.loop.turnTime
    // The deadline for a head runs from its first byte; a client cannot extend it by sending single bytes.
    if !io.wait.isIdle, io.wait.headDeadline == nil { io.wait.headDeadline = ContinuousClock.now + core.limits.headTimeout }
    io.stream.interruptsIdleReads = io.wait.isIdle && io.wait.grace == nil
    io.wait.deadline = io.wait.isIdle ? io.wait.grace ?? io.wait.start + core.limits.idleTimeout : io.wait.headDeadline
    return io.wait.isIdle ? io.wait.deadline : nil
  }

  /// The result of a failed wait, or nil to wait again.
  @inline(never)
  private func arrival(after error: StreamError) -> Arrival? {
    let start = io.wait.start
    let isIdle = io.wait.isIdle
    // When the server stops, a busy client has usually sent its next request already: wait once more, briefly.
    if error == .stopping, isIdle, io.wait.grace == nil, ContinuousClock.now - max(start, io.lastActivity ?? start) < .seconds(1)
    {
      io.wait.grace = .now + Self.stopGrace
      return nil
    }
    return endWait(error)
  }

  @inline(never)
  private func endWait(_ error: StreamError?) -> Arrival {
    io.stream.interruptsIdleReads = false
    guard error == .timedOut, !io.wait.isIdle else { return .disconnected }
    io.refusal = .requestTimeout
    return .refused
  }

  /// Parses the received bytes; returns nil if they contain no complete head.
  @inline(never)
  private func parseReceived() -> Arrival? {
    io.stream.interruptsIdleReads = false
    do throws(RequestError) {
      while true {
        switch try io.next() {
        case .head(let head):
          io.parsedHead = head
          return .head
        case .needMore: return nil
        case .body, .end: continue
        }
      }
    } catch {
      io.refusal = error.status
      return .refused
    }
  }

  /// How long a connection that was busy within the last second may send another request after the server began to stop.
  private static let stopGrace = Duration.milliseconds(250)

  @inline(never)
  nonisolated(nonsending) private func refuse(
    _ status: HTTPResponse.Status, _ method: HTTPRequest.Method, _ sequence: UInt64
  ) async -> NextStep {
    let exchange = ServedExchange(method: method, version: .http11, wantsKeepAlive: false)
    _ = await write(core.refusal(RefusedRequest(status: status, partialHead: io.partialHead)), exchange)
    core.metrics.refuse(status.code)
    core.accessLog?.writeRefusal(status: status.code, request: Request.name(id, sequence), peer: peer)
    return .linger
  }

  @inline(never)
  nonisolated(nonsending) private func serveParsed(_ sequence: UInt64) async -> NextStep {
    guard let head = io.parsedHead.take() else { return .close }
    return await serve(head, sequence)
  }

  nonisolated(nonsending) private func serve(_ head: RequestHead, _ sequence: UInt64) async -> NextStep {
    if case .length(let count) = head.framing, count > UInt64(max(core.limits.body(of: head.path), 0)) {
      return await refuse(.contentTooLarge, head.method, sequence)
    }
    let client =
      core.limits.isBehindProxy && core.limits.connectionsPerClient > 0
      ? ForwardedClient.address(in: head.fields) ?? peer.client : nil
    if let client, !core.clients.begin(client) { return await refuse(.serviceUnavailable, head.method, sequence) }
    defer { if let client { core.clients.end(client) } }
    let start = io.stream.loop.turnTime
    let written = core.accessLog == nil ? 0 : io.written
    core.metrics.inFlight.add()
    defer { core.metrics.inFlight.add(-1) }
    var request = Request(
      method: head.method, path: head.path, query: head.query, headers: head.fields, peer: peer, isTLS: io.stream.isTLS)
    (request.connection, request.sequence, request.io) = (id, sequence, io)
    if let client { request.client = client }
    io.announcedLength = if case .length(let count) = head.framing { Int(clamping: count) } else { nil }
    if head.framing == .none {
      io.body = .none
    } else {
      io.body = head.expectsContinue ? .awaitingContinue : .unread
      request.body = RequestBody(io)
    }
    let response = await core.respond(request)
    io.releaseBody()
    let leftover = rest(of: head)
    let exchange = ServedExchange(
      method: head.method, version: head.version, wantsKeepAlive: head.keepAlive && leftover != .unreadable)
    let isKept = await write(response, exchange)
    record(head, request, response, ContinuousClock.now - start, written)
    // If unread bytes are left when the socket closes, the kernel sends a reset, which can destroy the response. A client sends
    // nothing after its request for a stream, so that nothing is left and a stop need not wait until the client closes.
    guard isKept else { return response.isEventStream && leftover == .none && io.isIdle ? .close : .linger }
    if leftover == .drainable { return await io.drainBody() ? .next : .linger }
    return .next
  }

  private enum Leftover { case none, drainable, unreadable }

  /// Decides by the unread part of the body whether the connection can continue.
  private func rest(of head: RequestHead) -> Leftover {
    let state = io.body
    // From here on the connection owns the body, so that a task the handler left behind cannot take bytes of the next request.
    io.body = .finished
    switch state {
    case .finished: return .none
    case .none: return io.finishBody() ? .none : .unreadable
    case .reading, .failed: return .unreadable
    // The client decides whether it sends the body, so the result must not depend on whether it has arrived.
    case .awaitingContinue: return .unreadable
    case .unread:
      if io.finishBody() { return .none }
      if case .length(let count) = head.framing, count > UInt64(ConnectionIO.highWater) { return .unreadable }
      return .drainable
    }
  }

  private func record(_ head: RequestHead, _ request: Request, _ response: Response, _ time: Duration, _ written: Int) {
    context.metrics.record(
      route: response.route, method: head.method, status: response.status.code, time: response.isEventStream ? nil : time)
    guard let log = core.accessLog else { return }
    log.write(
      AccessLog.Line(
        request: request.requestID, method: head.method, path: head.path, status: response.status.code,
        bytes: io.written - written, time: time, peer: peer))
  }
}

/// The properties of a request that determine the framing of its response.
struct ServedExchange: Sendable {
  var method: HTTPRequest.Method
  var version: ProtocolVersion
  /// Whether the connection may serve another request.
  var wantsKeepAlive: Bool
}

/// Writing responses.
extension Connection {
  /// Bodies up to this size, in bytes, are copied behind their head; larger ones are sent without a copy.
  private static let copiedBody = 16_384

  /// Queues or sends one response. Returns whether the connection can serve another request; if not, everything has been sent.
  nonisolated(nonsending) func write(_ response: Response, _ exchange: ServedExchange) async -> Bool {
    do throws(StreamError) {
      let isKept = try await send(response, exchange, exchange.wantsKeepAlive && !core.registry.isStopping)
      if !isKept || io.pending > ConnectionIO.highWater { try await io.flush() }
      return isKept
    } catch {
      return false
    }
  }

  nonisolated(nonsending) private func send(
    _ response: Response, _ exchange: ServedExchange, _ keepAlive: Bool
  ) async throws(StreamError) -> Bool {
    let hasBody = ResponseSerializer.allowsBody(response.status, to: exchange.method)
    if keepAlive, exchange.version == .http11, let serialized = response.prepared?.serialized(for: core) {
      try await append(serialized, hasBody: hasBody)
      return true
    }
    switch response.body {
    case .none:
      return appendHead(response, .length(0), exchange, keepAlive) && keepAlive
    case .bytes(let bytes):
      guard appendHead(response, .length(bytes.count), exchange, keepAlive) else { return false }
      guard hasBody else { return keepAlive }
      if bytes.count <= Self.copiedBody {
        io.append { $0.append(contentsOf: bytes) }
      } else {
        try await io.flush(then: bytes)
      }
      return keepAlive
    case .stream(let length, let produce):
      let framing = length.map { .length($0) } ?? Self.openFraming(exchange)
      let isKept = keepAlive && framing != .untilClose
      guard appendHead(response, framing, exchange, isKept) else { return false }
      guard hasBody else { return isKept }
      let writer = BodyWriter(io: io, isChunked: framing == .chunked, length: length)
      do {
        try await produce(writer)
      } catch {
        core.logger.debug("streamed response aborted", metadata: ["connection": "\(id)"])
        throw .closed
      }
      guard writer.isComplete else { throw .closed }
      if framing == .chunked { io.append { $0.append(contentsOf: ChunkFraming.end) } }
      return isKept
    case .events(let subscription):
      let framing = Self.openFraming(exchange)
      guard appendHead(response, framing, exchange, false), hasBody else { return false }
      let writer = EventStreamWriter(
        core: core, io: io, connection: id, subscription: subscription, isChunked: framing == .chunked)
      try await writer.run()
      return false
    }
  }

  /// Queues a prepared response; a large one is sent at once.
  nonisolated(nonsending) private func append(_ serialized: PreparedResponse.Serialized, hasBody: Bool) async throws(StreamError)
  {
    context.refreshDate()
    let large = serialized.large(isTLS: io.stream.isTLS)
    io.append { output in
      let start = output.count
      output.append(contentsOf: hasBody && large == nil ? serialized.bytes[...] : serialized.bytes[..<serialized.headCount])
      context.stampDate(&output, at: start + serialized.dateStart)
    }
    guard hasBody, let large else { return }
    io.enqueueUnsent(large)
    try await io.flush()
  }

  /// The framing of a body of unknown length; HTTP/1.0 has no chunked coding.
  private static func openFraming(_ exchange: ServedExchange) -> ResponseFraming {
    exchange.version == .http11 ? .chunked : .untilClose
  }

  /// Queues the head. If the head is not safe to write, queues an empty 500 instead and returns false.
  private func appendHead(_ response: Response, _ framing: ResponseFraming, _ exchange: ServedExchange, _ keepAlive: Bool) -> Bool
  {
    context.refreshDate()
    let date = context.date
    let head = ResponseHead(status: response.status, fields: response.headers)
    do throws(ResponseError) {
      try io.append { output throws(ResponseError) in
        try core.serializer.append(
          head, framing: framing, keepAlive: keepAlive, version: exchange.version, date: date, to: &output)
      }
      return true
    } catch {
      core.logger.error("response not safe to write", metadata: ["connection": "\(id)", "reason": "\(error)"])
      try? io.append { output throws(ResponseError) in
        try core.serializer.append(
          ResponseHead(status: .internalServerError), framing: .length(0), keepAlive: false, date: date, to: &output)
      }
      return false
    }
  }
}
