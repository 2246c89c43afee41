import Client
import HTTPTypes
import JSON
import Text

/// Calls the developer routes of `understudy backend`: `GET /dev/inbox` and `POST /dev/clock`.
struct DeveloperAPIClient: Sendable {
  let origin: String
  let transport: Transport
  let token: String

  private struct Inbox: Decodable {
    let messages: [BackendControl.Message]
  }

  private struct Advance: Encodable {
    let advanceSeconds: Int
  }

  /// `GET /dev/inbox`.
  func messages(to identifier: String, after: String?, wait: Int) async throws(CheckStop) -> [BackendControl.Message] {
    var query = "to=\(PercentCoding.encode(identifier))&wait=\(wait)"
    if let after { query += "&after=\(PercentCoding.encode(after))" }
    let body = try await send(.get, "/dev/inbox?\(query)", nil)
    do throws(JSONError) { return try JSONCoding.decode(Inbox.self, from: body, keys: .snakeCase).messages } catch {
      throw .failed("/dev/inbox did not return messages")
    }
  }

  /// `POST /dev/clock`.
  func advance(seconds: Int) async throws(CheckStop) {
    _ = try await send(.post, "/dev/clock", (try? JSONCoding.encode(Advance(advanceSeconds: seconds), keys: .snakeCase)) ?? [])
  }

  private func send(_ method: HTTPRequest.Method, _ target: String, _ body: [UInt8]?) async throws(CheckStop) -> [UInt8] {
    var headers: HTTPFields = [.authorization: "Bearer \(token)"]
    if body != nil { headers[.contentType] = "application/json" }
    let path = target.prefix { $0 != "?" }
    let response: TransportResponse
    do throws(TransportError) {
      response = try await transport.send(
        TransportRequest(method: method, url: origin + target, headers: headers, body: body))
    } catch {
      throw .failed("\(path) cannot be reached: \(error)")
    }
    guard response.status != 404 else { throw .failed("\(path) does not exist, or the developer token is wrong") }
    guard response.status == 200 else { throw .failed("\(path) returned \(response.status)") }
    return response.body
  }
}
