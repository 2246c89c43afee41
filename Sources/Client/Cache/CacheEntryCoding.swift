import HTTPTypes

/// Encodes and decodes cache entries for the disk; numbers are 8 bytes, little-endian.
enum CacheEntryCoding {
  /// The first bytes of an entry; a change of the format changes them.
  private static let formatMarker: UInt64 = 0x3130_4548_4341_4355

  static func encode(_ entry: CacheEntry) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.byteCount)
    append(formatMarker, to: &bytes)
    append(entry.times.receivedWall.bitPattern, to: &bytes)
    append(entry.times.delay.bitPattern, to: &bytes)
    append(entry.allowsHeuristic ? 1 : 0, to: &bytes)
    append(UInt64(entry.headers.count), to: &bytes)
    for field in entry.headers {
      append(field.name.rawName, to: &bytes)
      append(field.value, to: &bytes)
    }
    append(UInt64(entry.varied.count), to: &bytes)
    for field in entry.varied {
      append(field.name, to: &bytes)
      append(field.value == nil ? 0 : 1, to: &bytes)
      append(field.value ?? "", to: &bytes)
    }
    append(UInt64(entry.body.count), to: &bytes)
    bytes += entry.body
    return bytes
  }

  /// Decodes an entry; nil if the bytes are not exactly one entry.
  static func decode(_ bytes: [UInt8]) -> CacheEntry? {
    var reader = Reader(bytes: bytes)
    guard reader.number() == formatMarker, let wall = reader.number().map(Double.init(bitPattern:)), wall.isFinite,
      let delay = reader.number().map(Double.init(bitPattern:)), delay.isFinite, let guess = reader.number(),
      let fieldCount = reader.count()
    else { return nil }
    var headers = HTTPFields()
    for _ in 0..<fieldCount {
      guard let text = reader.text(), let name = HTTPField.Name(text), let value = reader.text() else { return nil }
      headers.append(HTTPField(name: name, value: value))
    }
    guard let variedCount = reader.count() else { return nil }
    var varied: [VariedField] = []
    for _ in 0..<variedCount {
      guard let name = reader.text(), let isThere = reader.number(), let value = reader.text() else { return nil }
      varied.append(VariedField(name: name, value: isThere == 1 ? value : nil))
    }
    guard let body = reader.run(), reader.isAtEnd else { return nil }
    return CacheEntry(
      headers: headers, body: body, varied: varied, times: CacheTimes(receivedWall: wall, delay: delay),
      allowsHeuristic: guess == 1)
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    append(UInt64(text.utf8.count), to: &bytes)
    bytes += text.utf8
  }

  /// Reads numbers and texts; returns nil once something does not fit.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() -> UInt64? {
      guard bytes.count - position >= 8 else { return nil }
      defer { position += 8 }
      var value: UInt64 = 0
      for index in 0..<8 { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
      return value
    }

    /// A count of elements of at least one byte each.
    mutating func count() -> Int? {
      guard let number = number(), number <= UInt64(bytes.count - position) else { return nil }
      return Int(number)
    }

    mutating func run() -> [UInt8]? {
      guard let count = count() else { return nil }
      defer { position += count }
      return Array(bytes[position..<position + count])
    }

    mutating func text() -> String? { run().map { String(decoding: $0, as: UTF8.self) } }
  }
}
