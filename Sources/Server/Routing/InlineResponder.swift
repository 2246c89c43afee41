import Reactor
import Wire

/// Answers requests whose answer is ready, on the loop's thread and outside their connection's task, while that waits for the
/// next request.
///
/// Whatever it does not understand at once it leaves to the task, as if it had not been read: one path knows every case.
struct InlineResponder {
  /// So many requests of one read are answered before others have their turn.
  private static let batch = 128

  let core: ServerCore
  let context: EventLoopContext
  let io: ConnectionIO

  /// Reads what has arrived; true where all of it is answered and sent.
  func tryRespond() -> Bool {
    guard let count = io.stream.readNow(into: context.room) else { return false }
    guard count > 0 else { return true }
    core.metrics.received.add(count)
    guard !core.registry.isStopping, io.isEmpty else {
      io.keep(UnsafeRawBufferPointer(rebasing: context.room[..<count]), nil)
      return false
    }
    return context.room[..<count].withMemoryRebound(to: UInt8.self) { bytes in
      let bytes = UnsafeBufferPointer(bytes)
      context.output.removeAll(keepingCapacity: true)
      context.parser.pointee.reset()
      var position = 0
      context.refreshDate()
      let rest = answer(bytes, &position)
      context.settle()
      if !context.output.isEmpty { send(context.output, nil) }
      if position == bytes.count, rest == nil {
        guard !io.hasOutput else { return false }
        let now = io.stream.loop.turnTime
        io.usedAt = now
        io.stream.postpone(until: now + core.limits.idleTimeout)
        return true
      }
      io.keep(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[position...])), rest)
      return false
    }
  }

  /// Answers from `position` on, as far as it can; the head that it could read but not answer, behind which the position is then.
  private func answer(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> RequestHead? {
    var answered = 0
    let now = io.stream.loop.turnTime
    while position < bytes.count, answered < Self.batch {
      var next = position
      guard let facts = try? context.parser.pointee.scan(bytes, at: &next) else { break }
      guard facts.framing == .none else { break }
      if facts.method != .other, facts.isOrigin, facts.version == .http11, facts.keepAlive, !facts.expectsContinue,
        let inlineResponder = core.inlineResponder,
        let ready = context.parser.pointee.withView(of: bytes, facts, { inlineResponder($0, now) }),
        let form = context.form(of: ready, core)
      {
        position = next
        answered += 1
        io.sequence += 1
        context.note(ready, facts.method)
        guard append(form, facts.method) else { break }
        continue
      }
      // Read already, so the task need not do it again.
      guard let head = try? context.parser.pointee.head(in: bytes, facts) else { break }
      position = next
      return head
    }
    return nil
  }

  /// Queues an answer; false where what is queued has been sent with it and the batch ends.
  private func append(_ form: ReadyAnswer.Form, _ method: HeadFacts.Method) -> Bool {
    let start = context.output.count
    let large = form.large(isTLS: io.stream.isTLS)
    if method == .head || large != nil {
      context.output.append(contentsOf: form.bytes[..<form.headCount])
    } else {
      context.output.append(contentsOf: form.bytes)
    }
    context.stampDate(&context.output, at: start + form.dateStart)
    guard method == .get, let large else { return context.output.count < ConnectionIO.highWater }
    send(context.output, large)
    context.output.removeAll(keepingCapacity: true)
    return !io.hasOutput
  }

  /// Sends the output and `body` behind it; what the kernel does not take now waits for the task.
  private func send(_ output: [UInt8], _ body: SharedBytes?) {
    let sent = output.withUnsafeBytes { head in
      guard let body else { return io.stream.writeNow(head, UnsafeRawBufferPointer(start: nil, count: 0)) }
      return io.stream.writeNow(head, body)
    }
    core.metrics.sent.add(sent)
    io.enqueueUnsent(output, body, sent: sent)
  }
}
