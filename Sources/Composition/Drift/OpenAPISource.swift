import Console
import Foundation
import OpenAPI
import Text

/// Where the OpenAPI document of `--openapi` comes from.
enum OpenAPISource: Sendable {
  /// A file that was read and parsed.
  case file(OpenAPIFile)
  /// An `https` URL, or an `http` URL of this machine.
  case url(OpenAPIURL)

  /// Its name in pages and reports, without anything that could be secret.
  var name: String {
    switch self {
    case .file(let file): file.name
    case .url(let url): url.name
    }
  }

  /// Reads the flag; nil without one. Throws `StartFailure`: 64 for a text that looks like a URL and is none, 78 for `http` to
  /// another machine, 66 for a file that is unreadable or no OpenAPI document.
  init?(_ text: String?) throws(StartFailure) {
    guard let text else { return nil }
    let lowered = text.lowercased()
    guard lowered.hasPrefix("https://") || lowered.hasPrefix("http://") else {
      self = .file(try OpenAPIFile(path: text))
      return
    }
    // Not quoted: it can contain a password or key.
    guard let url = OpenAPIURL(text) else {
      throw .usage("--openapi: the URL must have the form https://host[:port]/path, in visible ASCII, without user or fragment")
    }
    guard url.origin.scheme == "https" || url.origin.isLoopback else {
      throw .configuration("--openapi: http is only for this machine; \(url.name) must be https")
    }
    self = .url(url)
  }
}

/// The URL of an OpenAPI document.
struct OpenAPIURL: Hashable, Sendable {
  let text: String
  let origin: Origin
  /// The path, `/` at least.
  let path: String
  /// The query without `?`, which can contain a key; nil for none.
  let query: String?
  /// The URL without its query.
  var name: String { origin.text + path }

  /// Reads an absolute URL; nil if it has a user, a fragment or an invalid host, or is not visible ASCII.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"), let mark = text.firstRange(of: "://")
    else { return nil }
    let authority = text[mark.upperBound...].prefix { !"/?".contains($0) }
    guard let origin = Origin("\(text[..<mark.lowerBound])://\(authority)") else { return nil }
    self.text = text
    self.origin = origin
    let target = text[authority.endIndex...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = target.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "/"
    query = target.count == 2 ? String(target[1]) : nil
  }
}

/// An OpenAPI document that was read.
struct OpenAPIFile: Sendable {
  /// The path as it was given, or the URL.
  let path: String
  /// Its name in pages: the last part of the path.
  let name: String
  let contract: APIContract

  /// Reads a file; throws `StartFailure` (66) if it is unreadable or no OpenAPI document.
  init(path: String) throws(StartFailure) {
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: APIContract.maximumBytes + 1) ?? Data()
    else { throw .inputMissing("--openapi: \(path) cannot be read") }
    try self.init(path: path, name: URL(fileURLWithPath: path).lastPathComponent, bytes: Array(data))
  }

  /// Parses what was read from a file or URL; throws `StartFailure` (66) if it is no OpenAPI document.
  init(path: String, name: String, bytes: [UInt8]) throws(StartFailure) {
    do throws(APIContractError) { contract = try APIContract(parsing: bytes) } catch {
      throw .inputMissing("--openapi: \(path): \(error.line)")
    }
    self.path = path
    self.name = name
  }
}

extension APIContractError {
  /// The description on one line of at most 300 characters, without control characters: it can quote the document.
  var line: String {
    String(String.UnicodeScalarView(description.unicodeScalars.prefix(300))).withoutControls
  }
}
