import Foundation
import JSON

/// The backend's response.
struct BackendReply: Sendable {
  let status: Int
  /// Names in lower case, in order.
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  /// Parses a head.
  init(head: String) {
    let lines = head.components(separatedBy: "\r\n")
    status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    body = []
  }

  private init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The same with a body.
  func with(body: [UInt8]) -> BackendReply { BackendReply(status: status, fields: fields, body: body) }

  /// The first value of a field.
  func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
  /// The body as JSON; nil if it is not JSON.
  var json: JSONNode? { (try? JSONDocument(parsing: body))?.root }
  /// The error code; nil on success.
  var code: String? { json?["error"]?["code"]?.string }

  /// The whole response except what differs every time: `Date` and the request id.
  var told: String {
    let id = field("x-request-id") ?? "none"
    let rest = fields.filter { $0.name != "date" && $0.name != "x-request-id" }.map { "\($0.name): \($0.value)" }
    return (["\(status)"] + rest + [text.replacingOccurrences(of: id, with: "id")]).joined(separator: "\n")
  }
}
