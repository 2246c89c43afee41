import Explain
import FoundationEssentials
import HTTPTypes
import JSON
import Text
import Vault
import Redaction

/// An entry of a HAR as the attempt that it describes, including secrets.
struct HAREntry {
  let request: (method: String, path: String, query: String?, headers: [(name: String, value: String)], body: [UInt8])
  /// Scheme and authority.
  let origin: String
  let response: RawResponse?
  /// Whether the response's body was recorded, empty or not.
  let isBodyRecorded: Bool
  /// Whether the response came from a cache.
  let isCached: Bool
  /// Whether the response is a proxy's text in the place of a missing one.
  private let isProxyPage: Bool
  /// The claims of masked tokens in Understudy's own HAR. Its texts still have to be masked.
  let tokens: (request: [MaskedToken], response: [MaskedToken])
  let timings: NetworkTimings
  private let connection: NetworkConnection?
  /// nil if the entry has no date.
  var startedAt: Timestamp?
  /// Fields of Understudy's own HAR.
  let own:
    (
      id: String?, call: String?, parent: String?, flow: String?, flowID: String?, attempt: Int?, source: NetworkRow.Source?,
      state: NetworkRow.State?, faultID: String?, fault: RowFault?
    )
  let error: (code: String?, detail: String?)

  /// Whether an entry is not an app's call over the network: a request of the console itself, or one for `data:` or `blob:`.
  static func isOther(_ entry: JSONNode) -> Bool {
    if entry["_source"]?.string == NetworkRow.Source.tool.rawValue { return true }
    guard let url = entry["request"]?["url"]?.string, !url.utf8.starts(with: "https://".utf8),
      let colon = url.firstIndex(of: ":"), parts(ofURL: url) == nil
    else {
      return false
    }
    let scheme = url[..<colon].utf8
    return scheme.first.map(ASCII.isLetter) ?? false && scheme.allSatisfy { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
  }

  /// Reads an entry; nil if it has no readable request over the network.
  /// - Parameters:
  ///   - isOfInterest: Which header fields are read, without the durations of phases; nil for everything.
  ///   - attachment: Returns a file next to the HAR.
  init?(_ entry: JSONNode, isOfInterest: ((ArraySlice<UInt8>) -> Bool)? = nil, attachment: (String) -> [UInt8]?) {
    guard let node = entry["request"], let parts = node["url"]?.string.flatMap({ Self.parts(ofURL: $0) }),
      let method = node["method"]?.string, !method.isEmpty, method.utf8.count <= 100
    else { return nil }
    startedAt = HARDate.start(of: entry)
    origin = parts.origin
    request = (
      method.uppercased(), URLText.withMasks(parts.path), parts.query.map(URLText.withMasks),
      HARReader.lines(of: node, isOfInterest),
      HARReader.requestBody(node, attachment)
    )
    (response, isBodyRecorded) = Self.response(entry["response"], isOfInterest, attachment)
    isCached = entry["_fromCache"] != nil || entry["_source"]?.string == NetworkRow.Source.cache.rawValue
    timings = isOfInterest == nil ? Self.timings(entry) : NetworkTimings(total: Self.total(entry))
    let address = entry["serverIPAddress"]?.string
    connection =
      NetworkConnection(httpVersion: entry["response"]?["httpVersion"]?.string, serverAddress: address)
      ?? NetworkConnection(httpVersion: node["httpVersion"]?.string, serverAddress: address)
    own = (
      entry["_id"]?.string, entry["_call"]?.string, entry["_parent"]?.string, entry["_flow"]?.string, entry["_flowId"]?.string,
      entry["_attempt"]?.int64.flatMap { (1...1000).contains($0) ? Int($0) : nil },
      entry["_source"]?.string.flatMap { NetworkRow.Source(rawValue: $0) },
      entry["_state"]?.string.flatMap { NetworkRow.State(rawValue: $0) },
      entry["_fault"]?["id"]?.string ?? entry["_fault"]?.string,
      entry["_fault"].flatMap { RowFault(har: $0) }
    )
    let failed =
      ["_error", "_failureText"].lazy.compactMap { (entry["response"]?[$0] ?? entry[$0])?.string }.first
      ?? Self.charlesFailure(entry["response"])
    isProxyPage =
      failed == ProxyPage.error
      || response.map {
        ![UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0.body.first { $0 > 0x20 }) && ProxyPage.isOne($0.body)
      }
        ?? false
    tokens = (Self.tokens(of: node), Self.tokens(of: entry["response"]))
    error = (failed.map { String($0.prefix(200)) }, entry["_errorDetail"]?.string)
  }

  private static func tokens(of message: JSONNode?) -> [MaskedToken] {
    (message?["_tokens"]?.elements ?? []).prefix(MaskedToken.countLimit).compactMap { MaskedToken($0) }
  }

  /// Scheme with authority, path and query of an absolute URL over HTTP or WebSocket; nil for any other.
  static func parts(ofURL url: String) -> (origin: String, path: String, query: String?)? {
    let lower = url.prefix(8).lowercased()
    guard let scheme = ["https://", "http://", "wss://", "ws://"].first(where: { lower.hasPrefix($0) }) else { return nil }
    let slash = UInt8(ascii: "/")
    let question = UInt8(ascii: "?")
    let rest = url.utf8.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "#") }
    // A name and a password before the host would be secrets.
    let authority =
      rest.prefix { $0 != slash && $0 != question }.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last.map
    {
      Substring($0)
    } ?? ""
    let target = rest.drop { $0 != slash && $0 != question }.split(
      separator: question, maxSplits: 1, omittingEmptySubsequences: false)
    let path = target.first.map { String(Substring($0)) } ?? ""
    return (scheme + authority, path.isEmpty ? "/" : path, target.count == 2 ? String(Substring(target[1])) : nil)
  }

  /// The response, nil without one, and whether its body was recorded.
  private static func response(
    _ node: JSONNode?, _ isOfInterest: ((ArraySlice<UInt8>) -> Bool)?, _ attachment: (String) -> [UInt8]?
  ) -> (RawResponse?, Bool) {
    guard let node, let status = HARReader.status(of: node) else { return (nil, true) }
    var budget = Redactor.maximumBodyBytes
    let body = (try? HARReader.recordedBody(node, attachment, budget: &budget)) ?? nil
    let raw = RawResponse(
      status: status, headers: HARReader.lines(of: node, isOfInterest), body: body ?? [], wireByteCount: wireSize(node))
    return (raw, body != nil)
  }

  /// How many bytes the body took on the network; nil if the entry has no size.
  private static func wireSize(_ node: JSONNode) -> Int? {
    func number(_ node: JSONNode?) -> Int? { node?.double.flatMap { (0...1e15).contains($0) ? Int($0) : nil } }
    if let size = number(node["bodySize"]) { return size }
    let content = node["content"]
    guard let size = number(content?["size"]) else { return nil }
    return max(0, size - (number(content?["compression"]) ?? 0))
  }

  /// Charles's text about a failed exchange, such as `exception`.
  private static func charlesFailure(_ node: JSONNode?) -> String? {
    guard let word = node?["_charlesStatus"]?.string?.lowercased(), word != "complete" else { return nil }
    return word
  }

  /// Returns a redacted message with the masks that its headers and body had before.
  private static func kept(
    _ headers: [(name: String, value: String)], _ body: [UInt8], over redacted: RedactedMessage
  ) -> RedactedMessage {
    var message = redacted
    message.headers = zip(headers, redacted.headers).map { own, other in
      (name: MaskSkeleton.keep(own.name, over: other.name), value: MaskSkeleton.keep(own.value, over: other.value))
    }
    if body.contains(0xE2), let masked = redacted.body {
      message.body = MaskSkeleton.keep(String(decoding: body, as: UTF8.self), over: masked)
    }
    return message
  }

  private static func timings(_ entry: JSONNode) -> NetworkTimings {
    let node = entry["timings"]
    func phase(_ name: String) -> Double? { node?[name]?.double.flatMap { $0 >= 0 ? $0 : nil } }
    // HAR counts TLS within the connection.
    let tls = phase("ssl")
    let connect = phase("connect").map { max(0, $0 - (tls ?? 0)) }
    return NetworkTimings(
      queue: phase("blocked"), dns: phase("dns"), connect: connect, tls: tls, send: phase("send"), wait: phase("wait"),
      receive: phase("receive"), total: total(entry))
  }

  /// The duration; nil if it is not recorded. HAR has it as the sum of the phases as well, of which TLS is a part of the connection.
  private static func total(_ entry: JSONNode) -> Double? {
    for node in [entry["_total"], entry["time"]] {
      if let time = node?.double ?? node?.string.flatMap({ Double($0) }), time >= 0, time.isFinite { return time }
    }
    let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { entry["timings"]?[$0]?.double }
      .filter { $0 >= 0 && $0.isFinite }
    return phases.isEmpty ? nil : phases.reduce(0, +)
  }

  /// The attempt as a row of a recording, redacted.
  func row(seq: RowSequence, redactor: Redactor, traits: ImportedRows.Traits) -> NetworkRowDetail {
    var endpoint = traits(request.method, request.path)
    let method = HTTPRequest.Method(request.method) ?? .get
    func raw(_ endpoint: EndpointTraits) -> RawRequest {
      RawRequest(
        method: method, origin: origin, path: request.path, query: request.query, endpoint: endpoint, headers: request.headers,
        body: request.body)
    }
    let redacted = redactor.redact(raw(endpoint))
    // Masks of Understudy's own HAR stay as they are, so that they still belong to their tokens.
    let path = MaskSkeleton.keep(request.path, over: redacted.path)
    let query = request.query.map { MaskSkeleton.keep($0, over: redacted.query ?? "") }
    // The name of an unknown endpoint is its path, which can contain a value.
    endpoint = endpoint.name == request.path ? endpoint.named(path) : endpoint
    var answer = response.map { redactor.redact($0, to: endpoint) }
    if let response, let message = answer?.message {
      answer?.message = Self.kept(response.headers, response.body, over: message)
      answer?.message.tokens += redactor.redact(tokens.response)
    }
    var asked = Self.kept(request.headers, request.body, over: redacted.message)
    asked.tokens += redactor.redact(tokens.request)
    if !isBodyRecorded, answer?.message.bodyNote == nil { answer?.message.bodyNote = .notRecorded }
    func text(_ text: String) -> String { redactor.redact(text: text, context: endpoint.context).text }
    let timings = timings.rounded
    let state = own.state ?? (isProxyPage ? .failure : (response?.status).map { $0 < 400 ? .success : .failure } ?? .failure)
    let code = error.code.map(text)
    let detail = error.detail.map(text)
    var row = NetworkRow(
      id: SecureRandom.uuid(), seq: seq, rev: 1, callID: text(own.call ?? SecureRandom.uuid()), parentID: own.parent.map(text),
      flowID: text(own.flowID ?? SecureRandom.uuid()), flow: text(own.flow ?? ""),
      startedAt: startedAt ?? Timestamp(milliseconds: 0), method: method.rawValue,
      path: path, query: query, host: NetworkRow.host(ofURL: origin), endpoint: endpoint.name,
      attempt: own.attempt ?? 1, status: response?.status,
      state: state.isFinal ? state : .cancelled,
      error: code ?? (response == nil ? "no_answer" : isProxyPage ? ProxyPage.error : nil),
      durationMilliseconds: timings.total,
      requestBytes: request.body.count, responseBytes: response?.wireByteCount, source: own.source ?? .network,
      faultID: own.faultID.map(text))
    row.fault = own.fault?.masked(text)
    row.errorDetail = detail
    var attempt = NetworkRowDetail(
      row: row, url: origin + path + (query.map { "?" + $0 } ?? ""), request: asked,
      response: answer?.message, timings: NetworkTimings(), redactions: [])
    // Observers derive further fields of the row from these.
    attempt.timings = timings
    attempt.connection = connection
    attempt.redactions = redacted.redactions + (answer?.redactions ?? [])
    return attempt
  }
}

extension RowFault {
  /// Reads a HAR entry's `_fault`; nil if it is the rule's ID alone, as earlier versions wrote it.
  init?(har node: JSONNode) {
    guard let name = node["name"]?.string, let action = node["action"]?.string else { return nil }
    self.init(name: name, action: action, preset: node["preset"]?.string)
  }
}

extension EndpointTraits {
  /// The traits under another name.
  fileprivate func named(_ name: String) -> EndpointTraits {
    EndpointTraits(
      name: name, isAuthentication: isAuthentication, logsRequestBody: logsRequestBody, logsResponseBody: logsResponseBody,
      masksResponseValues: masksResponseValues)
  }
}
