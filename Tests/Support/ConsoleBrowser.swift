import Foundation
package import JSON

/// A browser as the console sees it: a cookie, a device key and the headers that pages send.
package final class ConsoleBrowser {
  /// The console's port on 127.0.0.1.
  package let port: UInt16
  /// The browser's cookie, as in a `Cookie` header.
  package private(set) var cookie: String?
  /// The key of the tab's device.
  package private(set) var deviceKey: String?

  /// Creates a browser without a cookie.
  package init(port: UInt16) { self.port = port }

  /// A response and its JSON.
  package struct Answer: Sendable {
    package let status: Int
    package let json: JSONNode?
    package let raw: LoopbackCall.Answer

    /// The problem's code.
    package var code: String? { json?["code"]?.string }
  }

  /// Creates this browser's device.
  package func makeDevice() throws {
    let answer = try call("POST", "/api/devices", "{}")
    deviceKey = answer.json?["device_key"]?.string
  }

  /// Sends a call and reads its response; stores a cookie that it sets.
  @discardableResult
  package func call(_ method: String, _ target: String, _ json: String? = nil) throws -> Answer {
    let raw = try start(method, target, json).answer()
    if let set = raw.header("set-cookie") { cookie = set.split(separator: ";").first.map(String.init) }
    return Answer(status: raw.status, json: (try? JSONDocument(parsing: raw.body))?.root, raw: raw)
  }

  /// Sends a call without waiting for its response.
  package func start(_ method: String, _ target: String, _ json: String? = nil) throws -> LoopbackCall {
    var headers = [("Origin", "http://localhost:\(port)"), ("Sec-Fetch-Site", "same-origin")]
    if let cookie { headers.append(("Cookie", cookie)) }
    if let deviceKey { headers.append(("X-Device-Key", deviceKey)) }
    if json != nil { headers.append(("Content-Type", "application/json")) }
    return try LoopbackCall(port: port, method: method, target: target, headers: headers, body: json.map { Array($0.utf8) })
  }

  /// Requests a message and returns it from the inbox, ignoring earlier ones, which the inbox shows from now on.
  package func askForMessage(_ identifier: String, kind: String = "magic-link") throws -> JSONNode? {
    let before = try call("GET", "/api/inbox").json
    let asked = try call("POST", "/api/login/\(kind)", #"{"identifier":"\#(identifier)"}"#)
    guard asked.status == 202 else { return nil }
    let beginning = before?["server_time"]?.string ?? ""
    var last = before?["messages"]?.elements.last?["id"]?.string
    for _ in 0..<5 {
      let after = last.map { "&after=\($0)" } ?? ""
      guard let newest = try call("GET", "/api/inbox?wait=10\(after)").json?["messages"]?.elements.last else { return nil }
      // Both are RFC 3339 in UTC with milliseconds, so comparing the texts compares the instants.
      if let delivered = newest["delivered_at"]?.string, delivered >= beginning { return newest }
      last = newest["id"]?.string
    }
    return nil
  }

  /// Signs in with a code from the inbox; returns the state that the console responds with.
  @discardableResult
  package func signIn(_ identifier: String) throws -> Answer {
    let code = try askForMessage(identifier)?["code"]?.string ?? ""
    return try call("POST", "/api/login/code/verify", #"{"identifier":"\#(identifier)","code":"\#(code)"}"#)
  }
}
