import HTTPTypes
import JSON
import RPC

/// One call with everything that was read of it.
struct Call: Sendable {
  /// Its head.
  let request: CallHead
  /// Its whole body.
  let body: [UInt8]
  /// The backend's instant at which the call is judged.
  let now: Timestamp
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
