/// The `Cookie` field (RFC 6265 §4.2).
package enum CookieHeader {
  /// The value of the first cookie of that name, as sent; nil where there is none.
  package static func value(of name: String, in header: String) -> String? {
    for part in header.utf8.split(separator: 0x3B) {
      let pair = part.drop(while: ByteClass.isBlank)
      guard let equals = pair.firstIndex(of: 0x3D), pair[..<equals].elementsEqual(name.utf8) else { continue }
      var value = pair[pair.index(after: equals)...]
      while let last = value.last, ByteClass.isBlank(last) { value.removeLast() }
      return String(decoding: value, as: UTF8.self)
    }
    return nil
  }
}
