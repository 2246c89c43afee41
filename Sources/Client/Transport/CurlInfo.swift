import CCurl
import HTTPTypes

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
  func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return understudy_get_size(easy, info, &value) == CURLE_OK ? Int(value) : 0
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

  /// Adds the phases before the request, from libcurl's marks, which count from the start; a reused connection has no lookup,
  /// connect and handshake.
  func addConnection(to timings: inout TransportTimings) {
    guard long(CURLINFO_NUM_CONNECTS) > 0 else { return }
    let lookup = size(CURLINFO_NAMELOOKUP_TIME_T)
    let connect = size(CURLINFO_CONNECT_TIME_T)
    timings.dns = Self.span(0, lookup)
    timings.connect = Self.span(lookup, connect)
    timings.tls = Self.span(connect, size(CURLINFO_APPCONNECT_TIME_T))
  }

  private static func span(_ from: Int, _ to: Int) -> Duration { .microseconds(max(0, to - from)) }
}
