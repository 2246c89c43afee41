import HTTPTypes
package import Logging
import Synchronization
import Wire

/// Serves the files below one directory from memory; a change on the disk shows within a second.
///
/// `/assets/a.css` is the file `assets/a.css`; `/login` is `login.html`, which has no other address; `/` is `index.html`.
package struct StaticFiles: Sendable {
  /// Why the files cannot be served.
  package enum Failure: Error, Equatable, Sendable {
    /// The root is not a directory that can be opened.
    case noRoot(String)
  }

  private struct Entry {
    var file: StaticFile
    var checkedAt: ContinuousClock.Instant
  }

  private final class Cache: Sendable {
    let entries = Mutex<[String: Entry]>([:])
  }

  private static let freshness = Duration.seconds(1)
  private let root: FileRoot
  private let cache = Cache()
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Reads every file of the directory; `now` is the clock by which entries are checked again.
  package init(
    root path: String, logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws(Failure) {
    guard let root = FileRoot(path: path) else { throw .noRoot(path) }
    (self.root, self.now) = (root, now)
    let paths = root.regularFiles()
    for path in paths { _ = load(path) }
    logger.debug("static files", metadata: ["count": "\(paths.count)"])
  }

  /// The answer for a file; nil where the path names none. Methods but GET and HEAD get 405.
  package func response(for request: Request) -> Response? {
    guard let path = Self.filePath(request.path), let file = file(path) else { return nil }
    guard request.method == .get || request.method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    let coding = AcceptEncoding(request.headers[.acceptEncoding])
    let variant = coding.prefersGzip ? file.gzip ?? file.plain : file.plain
    if Self.isUnchanged(request.headers, variant, file) {
      return Response(status: .notModified, headers: variant.notModifiedFields)
    }
    return Response(status: .ok, headers: variant.fields, body: .bytes(variant.bytes))
  }

  /// RFC 9110 §13.2.2: `If-Modified-Since` counts only where `If-None-Match` was not sent.
  private static func isUnchanged(_ fields: HTTPFields, _ variant: StaticFile.Variant, _ file: StaticFile) -> Bool {
    if let value = fields[.ifNoneMatch] { return EntityTagCondition(value)?.matchesWeakly(variant.tag) ?? false }
    guard let value = fields[.ifModifiedSince], let since = HTTPDate.parse(value, now: file.identity.modifiedSeconds) else {
      return false
    }
    return file.identity.modifiedSeconds <= since
  }

  /// The relative path of a request's file; nil for dot parts, separators that came encoded, and empty parts.
  private static func filePath(_ path: String) -> String? {
    guard path.utf8.first == 0x2F else { return nil }
    if path == "/" { return "index.html" }
    var parts: [String] = []
    for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let part = PercentCoding.decode(segment), !part.isEmpty, !part.hasPrefix("."),
        !part.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 })
      else { return nil }
      parts.append(part)
    }
    if parts.count == 1 {
      guard !parts[0].hasSuffix(".html") else { return nil }
      if !parts[0].utf8.contains(0x2E) { return parts[0] + ".html" }
    }
    return parts.joined(separator: "/")
  }

  private func file(_ path: String) -> StaticFile? {
    let instant = now()
    let known = cache.entries.withLock { entries -> Entry? in
      guard let entry = entries[path] else { return nil }
      // Whoever finds it stale checks; the others use it meanwhile.
      if instant - entry.checkedAt >= Self.freshness { entries[path]?.checkedAt = instant }
      return entry
    }
    guard let known else { return load(path) }
    guard instant - known.checkedAt >= Self.freshness else { return known.file }
    guard let identity = root.identity(of: path) else {
      cache.entries.withLock { $0[path] = nil }
      return nil
    }
    return identity == known.file.identity ? known.file : load(path) ?? known.file
  }

  private func load(_ path: String) -> StaticFile? {
    guard let (identity, bytes) = root.read(path) else { return nil }
    let file = StaticFile(name: path, identity: identity, bytes: bytes)
    cache.entries.withLock { $0[path] = Entry(file: file, checkedAt: now()) }
    return file
  }
}
