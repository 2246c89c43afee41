import JSON

/// Validates a HAR file against HAR 1.2, and against what its readers expect beyond that: correct sums and one order.
struct HARValidator {
  private(set) var faults: [String] = []
  private(set) var entries: [JSONNode] = []

  init(_ bytes: [UInt8]) {
    guard let root = (try? JSONDocument(parsing: bytes))?.root else {
      faults = ["no strict JSON"]
      return
    }
    members(root, "file", required: ["log"])
    guard let log = root["log"] else { return }
    members(log, "log", required: ["version", "creator", "entries"], optional: ["browser", "pages", "comment"])
    check(log["version"]?.string == "1.2", "version")
    if let creator = log["creator"] { members(creator, "creator", required: ["name", "version"]) }
    check(log["pages"]?.elements.isEmpty != false, "pages without an entry")
    entries = log["entries"]?.elements ?? []
    var before = ""
    for (index, entry) in entries.enumerated() {
      validate(entry, "entry \(index)")
      let started = entry["startedDateTime"]?.string ?? ""
      check(started >= before, "entry \(index) is out of order")
      before = started
    }
  }

  private mutating func check(_ holds: Bool, _ fault: String) {
    if !holds { faults.append(fault) }
  }

  /// An object with these members; others must begin with `_`.
  private mutating func members(_ node: JSONNode, _ place: String, required: [String], optional: [String] = []) {
    check(node.kind == .object, "\(place) is no object")
    let names = node.members.map(\.key)
    for name in required where !names.contains(name) { faults.append("\(place) lacks \(name)") }
    for name in names where !(required + optional + ["comment"]).contains(name) && !name.hasPrefix("_") {
      faults.append("\(place) has \(name)")
    }
  }

  private mutating func validate(_ entry: JSONNode, _ place: String) {
    members(
      entry, place, required: ["startedDateTime", "time", "request", "response", "cache", "timings"],
      optional: ["pageref", "serverIPAddress", "connection"])
    check(
      entry["startedDateTime"]?.string.flatMap { Timestamp(parsing: $0) }?.text == entry["startedDateTime"]?.string,
      "\(place) date")
    if let request = entry["request"] { validate(request: request, "\(place) request") }
    if let response = entry["response"] { validate(response: response, "\(place) response") }
    check(entry["cache"]?.members.isEmpty == true, "\(place) cache")
    guard let timings = entry["timings"], let time = number(entry["time"]) else { return check(false, "\(place) time") }
    members(timings, "\(place) timings", required: ["send", "wait", "receive"], optional: ["blocked", "dns", "connect", "ssl"])
    var sum = 0.0
    for name in ["blocked", "dns", "connect", "send", "wait", "receive"] {
      let value = number(timings[name]) ?? -1
      check(value >= 0 || value == -1, "\(place) \(name) is \(value)")
      if ["send", "wait", "receive"].contains(name) { check(value >= 0, "\(place) \(name) is missing") }
      sum += max(0, value)
    }
    check(abs(sum - time) <= 0.011, "\(place): time \(time) is not the sum \(sum)")
    let ssl = number(timings["ssl"]) ?? -1
    let connect = number(timings["connect"]) ?? -1
    check(ssl <= connect || ssl <= 0, "\(place): ssl \(ssl) beyond connect \(connect)")
  }

  private mutating func validate(request: JSONNode, _ place: String) {
    members(
      request, place,
      required: ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
      optional: ["postData"])
    let url = request["url"]?.string ?? ""
    check(url.hasPrefix("https://") && !url.contains("#"), "\(place) url \(url)")
    check(url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(place) url is no URL: \(url)")
    for list in ["headers", "queryString", "cookies"] { pairs(request[list], "\(place) \(list)") }
    sizes(request, place)
    if let data = request["postData"] {
      members(data, "\(place) postData", required: ["mimeType", "text"])
      check(data["mimeType"]?.string?.isEmpty == false && data["text"]?.string != nil, "\(place) postData")
    }
  }

  private mutating func validate(response: JSONNode, _ place: String) {
    members(
      response, place,
      required: [
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
      ])
    let status = number(response["status"]) ?? -1
    check(status == 0 || (100...599).contains(status), "\(place) status")
    for list in ["headers", "cookies"] { pairs(response[list], "\(place) \(list)") }
    for name in ["statusText", "httpVersion", "redirectURL"] { check(response[name]?.string != nil, "\(place) \(name)") }
    sizes(response, place)
    guard let content = response["content"] else { return }
    members(content, "\(place) content", required: ["size", "mimeType"], optional: ["compression", "text", "encoding"])
    check((number(content["size"]) ?? -2) >= -1 && content["mimeType"]?.string != nil, "\(place) content")
  }

  private mutating func sizes(_ node: JSONNode, _ place: String) {
    for name in ["headersSize", "bodySize"] {
      check(node[name]?.int64.map { $0 >= -1 } == true, "\(place) \(name)")
    }
  }

  private mutating func pairs(_ list: JSONNode?, _ place: String) {
    check(list?.kind == .array, "\(place) is no list")
    for pair in list?.elements ?? [] {
      members(pair, place, required: ["name", "value"])
      check(pair["name"]?.string != nil && pair["value"]?.string != nil, "\(place) pair")
    }
  }

  private func number(_ node: JSONNode?) -> Double? { node?.kind == .number ? Double(node?.sourceText ?? "") : nil }
}
