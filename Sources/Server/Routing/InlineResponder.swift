import Reactor
import Wire

/// Sends prepared responses on the event loop's thread, outside the connection's task, while the task waits for a request.
///
/// Requests that it cannot respond to are left to the task as if they had not been read, so that only the task has to handle
/// every case.
struct InlineResponder {
  /// The maximum number of requests of one read before other connections get a turn.
  private static let batch = 128

  let core: ServerCore
  let context: EventLoopContext
  let io: ConnectionIO

  /// Reads the received bytes; returns true if all requests in them got their responses.
  func tryRespond() -> Bool {
    guard let count = io.stream.readNow(into: context.readBuffer) else { return false }
    guard count > 0 else { return true }
    core.metrics.received.add(count)
    guard !core.registry.isStopping, io.isEmpty else {
      io.enqueueReceived(UnsafeRawBufferPointer(rebasing: context.readBuffer[..<count]), nil)
      return false
    }
    return context.readBuffer[..<count].withMemoryRebound(to: UInt8.self) { bytes in
      let bytes = UnsafeBufferPointer(bytes)
      context.output.removeAll(keepingCapacity: true)
      context.parser.pointee.reset()
      var position = 0
      context.refreshDate()
      let unanswered = respond(bytes, &position)
      context.flushMetrics()
      if !context.output.isEmpty { send(context.output, nil) }
      if position == bytes.count, unanswered == nil {
        guard !io.hasOutput else { return false }
        let now = io.stream.loop.turnTime
        io.lastActivity = now
        io.stream.postpone(until: now + core.limits.idleTimeout)
        return true
      }
      io.enqueueReceived(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[position...])), unanswered)
      return false
    }
  }

  /// Responds to the requests from `position` on. Returns a parsed head that it cannot respond to; `position` is then behind it.
  private func respond(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> RequestHead? {
    var count = 0
    let now = io.stream.loop.turnTime
    while position < bytes.count, count < Self.batch {
      var next = position
      guard let summary = try? context.parser.pointee.scan(bytes, at: &next) else { break }
      guard summary.framing == .none else { break }
      if summary.method != .other, summary.isOrigin, summary.version == .http11, summary.keepAlive, !summary.expectsContinue,
        let inlineResponder = core.inlineResponder,
        let prepared = context.parser.pointee.withView(of: bytes, { inlineResponder($0, now) }),
        let serialized = context.serialized(of: prepared, core)
      {
        position = next
        count += 1
        io.sequence += 1
        context.countResponse(prepared, summary.method)
        guard append(serialized, summary.method) else { break }
        continue
      }
      // The head is already parsed, so the task need not parse it again.
      guard let head = try? context.parser.pointee.head(in: bytes, summary) else { break }
      position = next
      return head
    }
    return nil
  }

  /// Queues a response. Returns false if the queue was flushed with it, which ends the batch.
  private func append(_ serialized: PreparedResponse.Serialized, _ method: HeadSummary.Method) -> Bool {
    let start = context.output.count
    let large = serialized.large(isTLS: io.stream.isTLS)
    if method == .head || large != nil {
      context.output.append(contentsOf: serialized.bytes[..<serialized.headCount])
    } else {
      context.output.append(contentsOf: serialized.bytes)
    }
    context.stampDate(&context.output, at: start + serialized.dateStart)
    guard method == .get, let large else { return context.output.count < ConnectionIO.highWater }
    send(context.output, large)
    context.output.removeAll(keepingCapacity: true)
    return !io.hasOutput
  }

  /// Sends the output and then `body`; the task sends the bytes that the kernel does not take.
  private func send(_ output: [UInt8], _ body: SharedBytes?) {
    let sent = output.withUnsafeBytes { head in
      guard let body else { return io.stream.writeNow(head, UnsafeRawBufferPointer(start: nil, count: 0)) }
      return io.stream.writeNow(head, body)
    }
    core.metrics.sent.add(sent)
    io.enqueueUnsent(output, body, sent: sent)
  }
}
