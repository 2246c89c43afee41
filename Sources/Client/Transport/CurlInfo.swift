import CCurl
import HTTPTypes
import Observability

/// Reads libcurl's information about an attempt, on the loop's thread.
struct CurlInfo {
  /// The attempt's handle.
  let easy: UnsafeMutableRawPointer

  /// A number; 0 if libcurl has none.
  func long(_ info: CURLINFO) -> Int {
    var value = 0
    return understudy_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }

  /// A count of bytes or microseconds; 0 if libcurl has none.
  private func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return understudy_get_size(easy, info, &value) == CURLE_OK ? Int(value) : 0
  }

  /// A text; nil if libcurl has none.
  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard understudy_get_text(easy, info, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }

  /// The header fields of the last response in order, without those of trailers, interim responses and the proxy.
  func headers() -> HTTPFields {
    var fields = HTTPFields()
    var previous: UnsafeMutablePointer<curl_header>?
    while let header = curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, previous) {
      previous = header
      guard let name = HTTPField.Name(String(cString: header.pointee.name)) else { continue }
      fields.append(HTTPField(name: name, value: String(cString: header.pointee.value)))
    }
    return fields
  }

  /// The version of HTTP of the last response and the address that was connected.
  func connection() -> NetworkConnection? {
    let version: String? =
      switch long(CURLINFO_HTTP_VERSION) {
      case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
      case Int(CURL_HTTP_VERSION_3): "HTTP/3"
      default: nil
      }
    return NetworkConnection(httpVersion: version, serverAddress: text(CURLINFO_PRIMARY_IP))
  }

  /// Adds the phases before the request, from libcurl's marks, which count from the start; a reused connection has no lookup,
  /// connect and handshake.
  func addConnection(to timings: inout NetworkTimings) {
    guard long(CURLINFO_NUM_CONNECTS) > 0 else { return }
    let lookup = size(CURLINFO_NAMELOOKUP_TIME_T)
    let connect = size(CURLINFO_CONNECT_TIME_T)
    timings.dns = Self.span(0, lookup)
    timings.connect = Self.span(lookup, connect)
    timings.tls = Self.span(connect, size(CURLINFO_APPCONNECT_TIME_T))
  }

  /// The milliseconds between two marks in microseconds.
  private static func span(_ from: Int, _ to: Int) -> Double { Double(max(0, to - from)) / 1000 }
}
