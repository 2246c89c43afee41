import Glibc
import HTTPTypes
package import Logging
package import Wire

/// Serves the files below one directory; a change on disk becomes visible within a second.
///
/// Small files are served from memory, large ones from disk. Symbolic links are not followed, names that begin with a dot are not
/// served, and directories are not listed.
package struct StaticFiles: Sendable {
  /// Why the files cannot be served.
  package enum Failure: Error, Equatable, Sendable {
    /// The root is not a directory that can be opened.
    case noRoot(String)
    /// A file cannot be composed of its sources; the text names the file and the reason.
    case invalidFile(String)
  }

  /// The settings.
  package struct Configuration: Sendable {
    /// How paths map to files.
    package var paths = StaticPath.pages
    /// Composes files of other files.
    package var composers: [any FileComposer] = []
    /// Returns the value of `Cache-Control` for a file's relative path; empty for none.
    package var cacheControl: @Sendable (String) -> String = { _ in "no-cache" }

    package init() {}
  }

  private let paths: StaticPath
  private let cache: StaticFileCache

  /// Reads every file of the directory; `now` is the clock for checking them again.
  package init(
    root path: String, configuration: Configuration = Configuration(), logger: Logger,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws(Failure) {
    guard let root = FileRoot(path: path) else { throw .noRoot(path) }
    paths = configuration.paths
    do { cache = try StaticFileCache(root: root, configuration: configuration, logger: logger, now: now) } catch {
      switch error {
      case .unavailable: throw .noRoot(path)
      case .invalid(let reason): throw .invalidFile(reason)
      }
    }
    logger.debug("static files", metadata: ["count": "\(cache.count)"])
  }

  /// The response for a file; nil if the path names none. Methods other than GET and HEAD get 405.
  package func response(for request: Request) -> Response? {
    guard let path = paths.file(request.path) else { return nil }
    let file: StaticFile
    switch cache.file(path) {
    case .none: return nil
    case .busy: return Self.unavailable
    case .file(let found): file = found
    }
    guard request.method == .get || request.method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    cache.addShortcut(request.path, to: path)
    let negotiation = FileNegotiation(request, now: Int64(time(nil)))
    if let answer = answer(file, path, negotiation) { return answer }
    // The file changed between the check and the opening: use its current version.
    switch cache.reload(path) {
    case .none: return nil
    case .file(let file): return answer(file, path, negotiation) ?? Self.unavailable
    case .busy: return Self.unavailable
    }
  }

  /// The prepared response for a file that was requested through ``response(for:)`` within the last second; `instant` must come
  /// from the clock given to `init`.
  package func prepared(for view: borrowing RequestView, at instant: ContinuousClock.Instant) -> PreparedResponse? {
    cache.prepared(view.path, at: instant)?.answer(to: view)
  }

  /// The content of a small file, or of one that a composer makes, which needs no address; nil if there is none.
  package func content(of path: String) -> [UInt8]? {
    guard case .file(let file) = cache.latest(path) else { return nil }
    return file.plain.bytes
  }

  private static let unavailable = Response(
    status: .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8", .retryAfter: "1"],
    body: .bytes(Array("503 Service Unavailable\n".utf8)))

  /// Nil if the file has changed since it was checked.
  private func answer(_ file: StaticFile, _ path: String, _ negotiation: FileNegotiation) -> Response? {
    if let parts = negotiation.parts(of: file) {
      if let answer = negotiation.conditional(file.plain) { return answer }
      guard case .parts(let ranges) = parts else { return RangeResponse.unsatisfiable(file) }
      return cache.content(of: file, path).map { RangeResponse.partial(file, $0, ranges) }
    }
    guard let variant = negotiation.variant(of: file) else {
      return Response(
        status: .notAcceptable, headers: [.vary: "Accept-Encoding", .contentType: "text/plain; charset=utf-8"],
        body: .bytes(Array("406 Not Acceptable\n".utf8)))
    }
    if let answer = negotiation.conditional(variant) { return answer }
    if let whole = variant.whole { return Response(whole) }
    return cache.content(of: file, path).map { Response(status: .ok, headers: variant.fields, body: $0.body) }
  }
}

/// Composes served files of other files of the folder.
package protocol FileComposer: Sendable {
  /// Whether the file is only a part of others and has no address of its own.
  func isSource(_ path: String) -> Bool

  /// The content of the file with this relative path, or nil if this composer does not compose it.
  ///
  /// It must read only from `sources`: the content is composed again when one of them changes.
  func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]?
}

/// Why a file cannot be composed of its sources.
package enum CompositionError: Error, Equatable, Sendable {
  /// The process or the machine cannot read a source now.
  case unavailable
  /// The sources do not fit together; the text names them and the reason.
  case invalid(String)
}

/// Responses with ranges of a file (RFC 9110 §14, §15.3.7).
enum RangeResponse {
  /// 206 with one range, or several as `multipart/byteranges`. There must be at least one range, within the file.
  static func partial(_ file: StaticFile, _ content: FileContent, _ ranges: [Range<Int>]) -> Response {
    var fields = file.plain.fields
    guard ranges.count > 1 else {
      let range = ranges.first ?? 0..<content.count
      fields[.contentRange] = contentRange(range, content.count)
      // The whole content needs no copy.
      let body = range.count == content.count ? content.body : content.body(of: [.slice(range)])
      return Response(status: .partialContent, headers: fields, body: body)
    }
    let boundary = boundary()
    fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
    var pieces: [FileContent.Piece] = []
    for range in ranges {
      let head =
        "\(pieces.isEmpty ? "" : "\r\n")--\(boundary)\r\nContent-Type: \(file.type)\r\n"
        + "Content-Range: \(contentRange(range, content.count))\r\n\r\n"
      pieces += [.text(Array(head.utf8)), .slice(range)]
    }
    pieces.append(.text(Array("\r\n--\(boundary)--\r\n".utf8)))
    return Response(status: .partialContent, headers: fields, body: content.body(of: pieces))
  }

  /// 416 with the current length (RFC 9110 §15.5.17).
  static func unsatisfiable(_ file: StaticFile) -> Response {
    Response(
      status: .rangeNotSatisfiable,
      headers: [
        .contentType: "text/plain; charset=utf-8", .contentRange: "bytes */\(file.identity.size)", .acceptRanges: "bytes",
      ], body: .bytes(Array("416 Range Not Satisfiable\n".utf8)))
  }

  private static func contentRange(_ range: Range<Int>, _ length: Int) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
  }

  /// 128 random bits, so that a collision with the content is negligible.
  private static func boundary() -> String {
    (0..<2).map { _ in
      let text = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }.joined()
  }
}
