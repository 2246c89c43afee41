import Text

/// The time of a client's clock, as clients send it with their requests.
package enum SentTime {
  /// The header fields that carry it, in lower case.
  package static let headerNames: Set<String> = [
    "date", "x-date", "x-timestamp", "x-client-time", "x-request-time", "x-amz-date", "x-nonce", "x-time", "timestamp",
    "x-client-timestamp", "x-request-timestamp", "x-device-time",
  ]

  /// Reads a number of seconds or milliseconds since 1970, a date of HTTP or RFC 3339, or ISO 8601 without separators.
  ///
  /// - Returns: The time in milliseconds since 1970; nil for any other text.
  package static func milliseconds(_ text: String) -> Int64? {
    if let number = Double(text) { return Timestamp(sinceEpoch: number)?.milliseconds }
    if let seconds = HTTPDate.parse(text) { return seconds * 1000 }
    if let known = Timestamp(parsing: text) { return known.milliseconds }
    // As AWS signs it.
    let digits = text.filter(\.isNumber)
    guard digits.count == 14, text.count == 16 else { return nil }
    let part = Array(digits)
    func piece(_ range: Range<Int>) -> String { String(part[range]) }
    return Timestamp(
      parsing: "\(piece(0..<4))-\(piece(4..<6))-\(piece(6..<8))T\(piece(8..<10)):\(piece(10..<12)):\(piece(12..<14))Z")?
      .milliseconds
  }
}
