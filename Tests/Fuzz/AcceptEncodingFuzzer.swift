import Wire

/// Every value of `Accept-Encoding` results in weights within range that depend only on its members.
enum AcceptEncodingFuzzer {
  /// Takes one input as the field's value.
  static func run(_ bytes: [UInt8]) {
    let value = String(decoding: bytes, as: UTF8.self)
    let codings = AcceptEncoding(value)
    for name in ["gzip", "identity", "br", "*", "deflate", ""] {
      require((0...1000).contains(codings.weight(of: name)), "weight \(codings.weight(of: name)) of \(name)")
    }
    require(!codings.prefersGzip || codings.weight(of: "gzip") > 0, "gzip is preferred though refused")
    require(AcceptEncoding(value.uppercased()) == codings || !bytes.allSatisfy { $0 < 0x80 }, "case matters")
    require(AcceptEncoding(" ,\t" + value) == codings || value.utf8.split(separator: 0x2C).count > 29, "empty members matter")
    guard value.utf8.split(separator: 0x2C).count < 30 else { return }
    // Appended last, a separate member decides, whatever precedes it.
    let refused = AcceptEncoding(value + ", gzip;q=0")
    require(refused.weight(of: "gzip") == 0 && !refused.prefersGzip, "gzip;q=0 did not refuse gzip")
    require(AcceptEncoding(value + ", gzip;q=0.25").weight(of: "gzip") == 250, "gzip;q=0.25 was not 250")
  }
}
