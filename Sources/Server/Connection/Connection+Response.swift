import HTTPTypes
import Logging
import Reactor
import Wire

/// The properties of a request that determine the framing of its response.
struct Exchange: Sendable {
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
  nonisolated(nonsending) func write(_ response: Response, _ exchange: Exchange) async -> Bool {
    do throws(StreamError) {
      let isKept = try await send(response, exchange, exchange.wantsKeepAlive && !core.registry.isStopping)
      if !isKept || io.pending > ConnectionIO.highWater { try await io.flush() }
      return isKept
    } catch {
      return false
    }
  }

  nonisolated(nonsending) private func send(
    _ response: Response, _ exchange: Exchange, _ keepAlive: Bool
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
  private static func openFraming(_ exchange: Exchange) -> ResponseFraming {
    exchange.version == .http11 ? .chunked : .untilClose
  }

  /// Queues the head. If the head is not safe to write, queues an empty 500 instead and returns false.
  private func appendHead(_ response: Response, _ framing: ResponseFraming, _ exchange: Exchange, _ keepAlive: Bool) -> Bool {
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
