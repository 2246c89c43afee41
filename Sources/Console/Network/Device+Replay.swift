import Client
import Domain

extension Device {
  /// Sends a request that a person wrote and returns the id of its first row; the response arrives in the log.
  ///
  /// Throws a `Problem` if nothing is sent: no user is signed in, the session ended, or too many requests are in flight.
  func send(_ request: ComposedRequest) async throws -> String {
    let (rows, continuation) = AsyncThrowingStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    let client = client
    let isStarted = replays.start {
      do throws(NetworkError) {
        try await client.api.send(request) { continuation.yield($0) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    guard isStarted else { throw Problem.tooManyAtOnce }
    do {
      for try await row in rows { return row }
    } catch let error as NetworkError {
      switch error {
      case .unauthorized: throw Problem.signedOut
      case .sessionEnded: throw Problem.sessionEnded
      // Nothing was sent: a template of the backend file has no value.
      case .unexpectedPayload(let mismatch): throw Problem(.maskNotHeld, mismatch.description)
      default: throw Problem(CallFailure(error))
      }
    }
    throw Problem(CallFailure.cancelled)
  }
}
