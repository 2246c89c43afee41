import Glibc
import HTTPTypes
package import Logging
package import Wire

/// Serves the files below one directory; a change on the disk shows within a second.
///
/// Small files are served from memory, large ones from the disk. Links are not followed, nothing whose name begins with a dot
/// is served, and no folder is listed.
package struct StaticFiles: Sendable {
  /// Why the files cannot be served.
  package enum Failure: Error, Equatable, Sendable {
    /// The root is not a directory that can be opened.
    case noRoot(String)
  }

  /// How the files are served.
  package struct Configuration: Sendable {
    /// Which path leads to which file.
    package var paths = StaticPath.pages
    /// The value of `Cache-Control` for a file by its relative path; none where it is empty.
    package var cacheControl: @Sendable (String) -> String = { _ in "no-cache" }

    /// The defaults.
    package init() {}
  }

  private let paths: StaticPath
  private let cache: StaticFileCache

  /// Reads every file of the directory; `now` is the clock by which they are checked again.
  package init(
    root path: String, configuration: Configuration = Configuration(), logger: Logger,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws(Failure) {
    guard let root = FileRoot(path: path) else { throw .noRoot(path) }
    paths = configuration.paths
    cache = StaticFileCache(root: root, cacheControl: configuration.cacheControl, now: now)
    logger.debug("static files", metadata: ["count": "\(cache.count)"])
  }

  /// The answer for a file; nil where the path names none. Methods but GET and HEAD get 405.
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
    // It changed between the look and the open: what it is now is right.
    switch cache.reload(path) {
    case .none: return nil
    case .file(let file): return answer(file, path, negotiation) ?? Self.unavailable
    case .busy: return Self.unavailable
    }
  }

  /// The answer for a file that ``response(for:)`` has been asked for within the last second, where bytes to send are ready;
  /// `instant` must be of the clock by which the files are checked.
  package func prepared(for view: borrowing RequestView, at instant: ContinuousClock.Instant) -> PreparedResponse? {
    cache.prepared(view.path, at: instant)?.answer(to: view)
  }

  private static let unavailable = Response(
    status: .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8", .retryAfter: "1"],
    body: .bytes(Array("503 Service Unavailable\n".utf8)))

  /// Nil where the file is no longer the one that was looked at.
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
