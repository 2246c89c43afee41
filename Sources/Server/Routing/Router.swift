package import HTTPTypes
import Text

/// The result of matching a method and a path.
package enum RouteMatch<Endpoint: Sendable>: Sendable {
  /// The endpoint and the decoded captures of its pattern.
  case found(Endpoint, parameters: [String: String])
  /// The path exists, but not with this method; `allow` lists its methods.
  case methodNotAllowed(allow: [HTTPRequest.Method])
  /// The path does not exist.
  case notFound
}

/// Finds the endpoint of a request. Literal segments take precedence over captures; HEAD uses the route of GET.
package struct Router<Endpoint: Sendable>: Sendable {
  private struct Entry: Sendable {
    var method: HTTPRequest.Method
    var names: [String]
    var endpoint: Endpoint
  }

  private struct Node: Sendable {
    var literals: [Substring: Int] = [:]
    var capture: Int?
    var entries: [Entry] = []
  }

  private var nodes = [Node()]
  /// The node of each pattern without a capture, which takes precedence over all others.
  private var literals: [String: Int] = [:]

  package init() {}

  /// Adds a route. A segment of the pattern may be a capture: `/api/network/{id}`. Adding the same route again replaces it.
  package mutating func add(_ method: HTTPRequest.Method, _ pattern: String, _ endpoint: Endpoint) {
    var index = 0
    var names: [String] = []
    for segment in Self.segments(pattern) {
      let isCapture = segment.hasPrefix("{") && segment.hasSuffix("}")
      if isCapture { names.append(String(segment.dropFirst().dropLast())) }
      if let next = isCapture ? nodes[index].capture : nodes[index].literals[segment] {
        index = next
        continue
      }
      nodes.append(Node())
      if isCapture {
        nodes[index].capture = nodes.count - 1
      } else {
        nodes[index].literals[segment] = nodes.count - 1
      }
      index = nodes.count - 1
    }
    if names.isEmpty { literals[pattern] = index }
    nodes[index].entries.removeAll { $0.method == method }
    nodes[index].entries.append(Entry(method: method, names: names, endpoint: endpoint))
  }

  /// Matches a path as sent, without its query.
  package func match(_ method: HTTPRequest.Method, _ path: String) -> RouteMatch<Endpoint> {
    guard path.utf8.first == 0x2F else { return .notFound }
    var captures: [Substring] = []
    guard let index = literals[path] ?? find(0, Self.segments(path)[...], &captures) else { return .notFound }
    let entries = nodes[index].entries
    let direct = entries.first { $0.method == method }
    guard let entry = direct ?? (method == .head ? entries.first { $0.method == .get } : nil) else {
      return .methodNotAllowed(allow: allow(entries))
    }
    var parameters: [String: String] = [:]
    for (name, value) in zip(entry.names, captures) {
      guard let decoded = PercentCoding.decode(value) else { return .notFound }
      parameters[name] = decoded
    }
    return .found(entry.endpoint, parameters: parameters)
  }

  /// Tries the literal branch, then the capture. The depth of the deepest pattern bounds the recursion.
  private func find(_ index: Int, _ rest: ArraySlice<Substring>, _ captures: inout [Substring]) -> Int? {
    guard let segment = rest.first else { return nodes[index].entries.isEmpty ? nil : index }
    let tail = rest.dropFirst()
    if let next = nodes[index].literals[segment], let found = find(next, tail, &captures) { return found }
    guard let next = nodes[index].capture, !segment.isEmpty else { return nil }
    captures.append(segment)
    if let found = find(next, tail, &captures) { return found }
    captures.removeLast()
    return nil
  }

  private func allow(_ entries: [Entry]) -> [HTTPRequest.Method] {
    var methods = entries.map(\.method)
    if methods.contains(.get), !methods.contains(.head) { methods.append(.head) }
    return methods.sorted { $0.rawValue < $1.rawValue }
  }

  private static func segments(_ path: String) -> [Substring] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}

extension Response {
  /// 405 with `Allow` (RFC 9110 §15.5.6).
  package static func methodNotAllowed(allow: [HTTPRequest.Method]) -> Response {
    Response(status: .methodNotAllowed, headers: [.allow: allow.map(\.rawValue).joined(separator: ", ")])
  }
}
