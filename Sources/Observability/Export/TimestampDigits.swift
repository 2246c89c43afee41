import JSON

/// An instant as digits, for formats that have fields of their own.
enum TimestampDigits {
  /// Year, month, day, hour, minute and second in UTC: fourteen digits.
  static func digits(milliseconds: Int64) -> [UInt8] {
    Timestamp(milliseconds: milliseconds).text.utf8.prefix(19).filter { (48...57).contains($0) }.map { $0 - 48 }
  }
}
