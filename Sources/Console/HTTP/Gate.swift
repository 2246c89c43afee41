package import HTTPTypes
import Wire
import Text

/// Decides from a request's head whether it may proceed to its route.
///
/// Every page that the browser shows can reach a console on localhost, for example with a name that resolves to it, a form or
/// an image. The gate therefore checks which host a request names, which origin it comes from, and its content.
package struct Gate: Sendable {
  /// The parts of a request's head that the gate reads, as strings or as bytes in the event loop's buffer.
  package struct Caller<Text: Collection> where Text.Element == UInt8 {
    /// A field that a well-formed request carries at most once.
    fileprivate enum Field {
      case missing
      case single(Text)
      case repeated

      mutating func add(_ value: Text) {
        if case .missing = self { self = .single(value) } else { self = .repeated }
      }

      var isMissing: Bool { if case .missing = self { true } else { false } }

      /// The only value.
      var text: String? { if case .single(let value) = self { String(decoding: value, as: UTF8.self) } else { nil } }

      static func == (field: Field, text: StaticString) -> Bool {
        guard case .single(let value) = field else { return false }
        return text.withUTF8Buffer { value.elementsEqual($0) }
      }
    }

    fileprivate let isSafe: Bool
    fileprivate let path: Text
    fileprivate let isTLS: Bool
    fileprivate let hasBody: Bool
    fileprivate var host = Field.missing
    fileprivate var origin = Field.missing
    fileprivate var contentType = Field.missing
    fileprivate var fetchSite = Field.missing
    fileprivate var fetchDestination = Field.missing

    /// Keeps the value of a field that the gate judges by.
    private mutating func add(_ name: Text, _ value: @autoclosure () -> Text) {
      func isName(_ text: StaticString) -> Bool { text.withUTF8Buffer { name.elementsEqual($0) { $0 | 0x20 == $1 } } }
      switch name.count {
      case 4 where isName("host"): host.add(value())
      case 6 where isName("origin"): origin.add(value())
      case 12 where isName("content-type"): contentType.add(value())
      case 14 where isName("sec-fetch-site"): fetchSite.add(value())
      case 14 where isName("sec-fetch-dest"): fetchDestination.add(value())
      default: break
      }
    }
  }

  /// The decision about a request.
  package enum Verdict: Hashable, Sendable {
    /// It may proceed to its route.
    case pass
    /// It names another host: 421 without a body.
    case misdirected
    /// It asks for a page under another name of this machine: 307 to the name that cookies and keys belong to.
    case redirect(to: String)
    /// It is rejected.
    case refuse(Problem)
  }

  /// An accepted origin, as a request names it.
  private struct Site: Sendable {
    let origin: Origin
    /// The value that a browser sends as `Host`.
    let authority: [UInt8]
    /// Whether it is another name of this machine, whose pages are shown under the name of the ready line.
    let isAlias: Bool
  }

  private let home: Origin
  /// The origins of requests that arrive in the clear, `http` first.
  private let plainSites: [Site]
  /// The origins of requests that arrive encrypted.
  private let encryptedSites: [Site]

  /// A gate for a console that listens on the port; `home` is the origin of the ready line.
  ///
  /// Accepted are the public origins, and the loopback names on the port and on that of `home` (a container's published port).
  /// Behind a proxy that ends TLS, requests for an `https` origin arrive in the clear, so `http` requests match it too.
  package init(home: Origin, listeningPort: UInt16, publicOrigins: [Origin], isBehindProxy: Bool) {
    var accepted = Set(publicOrigins)
    // Another loopback address, such as 127.0.0.5, if the console listens there.
    let isAddress = home.host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    if home.host.hasPrefix("127."), isAddress { accepted.insert(home) }
    for port in [home.port, listeningPort] {
      for host in ["localhost", "127.0.0.1", "[::1]"] { accepted.insert(Origin(scheme: home.scheme, host: host, port: port)) }
    }
    let sites = accepted.sorted { $0.scheme < $1.scheme }.map { origin in
      Site(
        origin: origin, authority: Array(origin.authority.utf8),
        isAlias: origin != home && origin.isLoopback && home.isLoopback && !publicOrigins.contains(origin))
    }
    self.home = home
    plainSites = sites.filter { isBehindProxy || $0.origin.scheme == "http" }
    encryptedSites = sites.filter { $0.origin.scheme == "https" }
  }

  /// Decides about a request before its route is looked up.
  package func judge<Text>(_ caller: Caller<Text>) -> Verdict {
    guard let site = site(of: caller) else { return .misdirected }
    if Self.isCall(caller.path) { return judgeCall(caller, own: site.origin) }
    if site.isAlias, caller.isSafe, caller.fetchDestination == "document", caller.path.first == UInt8(ascii: "/") {
      return .redirect(to: home.text + String(decoding: caller.path, as: UTF8.self))
    }
    return .pass
  }

  /// Whether the path is one of the pages' API, where only routes respond.
  static func isCall(_ path: some Collection<UInt8>) -> Bool {
    path.starts(with: "/api".utf8) && path.dropFirst(4).first.map { $0 == UInt8(ascii: "/") } ?? true
  }

  private func judgeCall<Text>(_ caller: Caller<Text>, own: Origin) -> Verdict {
    guard caller.origin.isMissing || caller.origin.text.flatMap({ Origin($0) }) == own,
      caller.fetchSite.isMissing || caller.fetchSite == "same-origin" || caller.isSafe && caller.fetchSite == "none"
    else { return .refuse(.originRefused) }
    guard caller.hasBody else { return .pass }
    let isArchive = caller.contentType == "application/zip" && caller.path.elementsEqual(RecordingImport.path.utf8)
    return isArchive || Self.isJSON(caller.contentType.text) ? .pass : .refuse(.unsupportedMediaType)
  }

  /// The accepted origin that the request's `Host` names; nil if it names none.
  private func site<Text>(of caller: Caller<Text>) -> Site? {
    guard case .single(let authority) = caller.host else { return nil }
    let sites = caller.isTLS ? encryptedSites : plainSites
    if let site = sites.first(where: { authority.elementsEqual($0.authority) }) { return site }
    let text = String(decoding: authority, as: UTF8.self)
    return sites.first { Origin(scheme: $0.origin.scheme, authority: text) == $0.origin }
  }

  /// Whether the media type is `application/json`, with no charset but UTF-8 (RFC 8259 §11).
  private static func isJSON(_ type: String?) -> Bool {
    guard let type else { return false }
    let parts = type.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingWhitespace.lowercased() }
    return parts.first == "application/json"
      && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
  }
}

extension Gate.Caller where Text == String.UTF8View {
  package init(method: HTTPRequest.Method, path: String, headers: HTTPFields, isTLS: Bool, hasBody: Bool) {
    isSafe = method == .get || method == .head
    self.path = path.utf8
    self.isTLS = isTLS
    self.hasBody = hasBody
    for field in headers { add(field.name.canonicalName.utf8, field.value.utf8) }
  }
}

extension Gate.Caller where Text == UnsafeBufferPointer<UInt8> {
  /// Reads a GET or HEAD without a body; valid only while the view is borrowed.
  init(_ view: borrowing RequestView, isTLS: Bool) {
    isSafe = true
    path = view.path
    self.isTLS = isTLS
    hasBody = false
    for index in 0..<view.fieldCount { add(view.name(index), view.value(index)) }
  }
}

extension HTTPField.Name {
  /// The header by which a page names its device.
  package static let deviceKey = constant("X-Device-Key")
  static let secFetchDest = constant("Sec-Fetch-Dest")
  static let clearSiteData = constant("Clear-Site-Data")
}
