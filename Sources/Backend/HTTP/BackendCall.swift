import JSON
import Text

/// A request for a handler, with its body read.
struct BackendCall: Sendable {
  let request: CallHead
  let body: [UInt8]
  /// The time on the backend's clock.
  let now: Timestamp
  /// The precision of the backend's dates, in milliseconds.
  var dateStep: Int64 = 1
  /// Whether the backend writes dates as numbers, so that callers return numbers.
  var hasNumericDates = false
  /// The address of the client, which rate limits count by; empty if unknown.
  var client = ""
  /// The session, if the route requires one.
  var session: Session?

  /// Decodes the body; throws `invalid_request` with the path of the wrong member, never its value.
  ///
  /// With `hasDates`, the dates of a backend that writes numbers are read as numbers too.
  func decode<T: Decodable>(_ type: T.Type, hasDates: Bool = false) throws(BackendFailure) -> T {
    do {
      guard hasDates, hasNumericDates else { return try JSONCoding.decode(type, from: body) }
      return try JSONCoding.decodeTolerantly(type, from: try JSONDocument(parsing: body), notes: JSONReadNotes())
    } catch {
      throw .invalidRequest(
        "The body is not valid for this call: \(error.reason.words)\(error.path.isEmpty ? "" : " at \(error.path)").")
    }
  }

  /// Returns a query parameter, nil if it is missing; throws `invalid_request` if it is repeated or cannot be decoded.
  func parameter(_ name: String) throws(BackendFailure) -> String? {
    guard let query = request.query else { return nil }
    guard let pairs = QueryPairs.parse(query) else { throw .invalidRequest("The query cannot be decoded.") }
    let values = pairs.filter { $0.0 == name }
    guard values.count <= 1 else { throw .invalidRequest("The query contains \(name) more than once.") }
    return values.first?.1
  }

  /// Returns the session; throws `invalid_token` if the route does not require one.
  func requiredSession() throws(BackendFailure) -> Session {
    guard let session else { throw .invalidToken }
    return session
  }

  /// Returns the id of the device; throws `invalid_request` if it is missing.
  func requiredDeviceID() throws(BackendFailure) -> String {
    guard let deviceID = request.deviceID else { throw .invalidRequest("X-Device-ID is missing.") }
    return deviceID
  }
}

extension String {
  /// Whether the string contains a C0 or C1 control character or DEL.
  var hasControlCharacters: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
