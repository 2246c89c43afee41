/// A server-sent event (HTML standard §9.2).
package struct ServerSentEvent: Sendable {
  /// The ID that a client sends back as `Last-Event-ID`; nil if a stream cannot resume from this event.
  package var id: String?
  /// The event's type.
  package var event: String
  /// The data in UTF-8; each line end starts another `data:` line.
  package var data: [UInt8]

  package init(id: String? = nil, event: String, data: [UInt8]) {
    self.id = id
    self.event = event
    self.data = data
  }

  /// The bytes of the event with its empty line; removes control characters from `id` and `event`.
  package func encode() -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(data.count + 64)
    if let id { Self.append("id: ", id, to: &result) }
    Self.append("event: ", event, to: &result)
    result.append(contentsOf: "data: ".utf8)
    if !data.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
      result.append(contentsOf: data)
      result.append(contentsOf: "\n\n".utf8)
      return result
    }
    var wasReturn = false
    for byte in data {
      if byte == 0x0A, wasReturn {
        wasReturn = false
        continue
      }
      wasReturn = byte == 0x0D
      if byte == 0x0A || byte == 0x0D {
        result.append(contentsOf: "\ndata: ".utf8)
      } else {
        result.append(byte)
      }
    }
    result.append(contentsOf: "\n\n".utf8)
    return result
  }

  /// A comment, which clients ignore.
  package static func comment(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    append(": ", text, to: &result)
    result.append(0x0A)
    return result
  }

  private static func append(_ prefix: String, _ text: String, to result: inout [UInt8]) {
    result.append(contentsOf: prefix.utf8)
    result.append(contentsOf: text.utf8.filter { $0 >= 0x20 && $0 != 0x7F })
    result.append(0x0A)
  }
}
