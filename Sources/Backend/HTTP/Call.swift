import HTTPTypes
import JSON
import RPC
import Text
import Wire

/// One call with everything that was read of it.
struct Call: Sendable {
  /// Its head.
  let request: CallHead
  /// Its whole body.
  let body: [UInt8]
  /// The backend's instant at which the call is judged.
  let now: Timestamp
  /// The address that the call came from, as it counts for limits; empty if it has none.
  var client = ""
  /// The session, on calls that need one.
  var session: Session?

  /// The body as a DTO; throws `invalid_request`, which names the member at fault and nothing of its value.
  func decode<T: Decodable>(_ type: T.Type) throws(BackendFailure) -> T {
    do {
      return try JSONCoding.decode(type, from: body)
    } catch {
      throw .invalidRequest(
        "The body is not what the call takes: \(error.reason)\(error.path.isEmpty ? "" : " at \(error.path)").")
    }
  }

  /// A parameter of the query; nil where it is missing, throws `invalid_request` where it comes twice or cannot be decoded.
  func parameter(_ name: String) throws(BackendFailure) -> String? {
    guard let query = request.query else { return nil }
    guard let pairs = QueryPairs.parse(query) else { throw .invalidRequest("The query cannot be read.") }
    let values = pairs.filter { $0.0 == name }
    guard values.count <= 1 else { throw .invalidRequest("The query has \(name) more than once.") }
    return values.first?.1
  }

  /// The session; throws `invalid_token` where the route did not ask for one.
  func requiredSession() throws(BackendFailure) -> Session {
    guard let session else { throw .invalidToken }
    return session
  }

  /// The device's id; throws `invalid_request` without one.
  func requiredDeviceID() throws(BackendFailure) -> String {
    guard let deviceID = request.deviceID else { throw .invalidRequest("X-Device-ID is missing.") }
    return deviceID
  }
}
