import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import Server
import Text
import Wire

/// The routes by which requests leave the console as files and as text to be copied (contract §2.3).
enum ExportRoutes {
  /// How a log is written.
  enum Format: String, Decodable, Sendable {
    case zip, har, json

    /// The media type.
    var type: String { self == .zip ? "application/zip" : "application/json" }

    /// The files of a bundle once they were looked through; throws `ExportScan.Refusal` if one contains a secret.
    fileprivate func files(of bundle: ExportBundle, _ scan: ExportScan) throws -> [ExportFile] {
      let files = self == .zip ? bundle.files : [self == .har ? bundle.har : bundle.json]
      let digests = try files.map { try scan.digest($0) }
      return self == .zip ? files + [ExportBundle.digests(digests)] : files
    }
  }

  private struct Wish: Decodable {
    let format: Format?
    let ids: [String]?
  }

  /// How many rows can be named.
  private static let idLimit = 20_000
  /// How many bytes are sent at a time.
  private static let chunk = 128 * 1024

  /// `GET /api/network/export`, with the list's filters and `ids=`, comma-separated.
  static func export(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard let pairs = QueryPairs.parse(call.request.query ?? ""), let filter = NetworkFilter(queryPairs: pairs) else {
      throw Problem.invalidRequest("The filter cannot be read.")
    }
    guard let format = Format(rawValue: call.query("format") ?? Format.zip.rawValue) else {
      throw Problem.invalidRequest("The format is zip, har or json.", field: "format")
    }
    let ids = call.query("ids").map { Set($0.split(separator: ",").map(String.init)) }
    return try await export(device, format: format, filter: filter, ids: ids)
  }

  /// `POST /api/network/export`: the rows that are named, which are more than an address holds.
  static func exportSelection(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let wish = try await call.body(Wish.self)
    guard let ids = wish.ids, ids.count <= idLimit else { throw Problem.invalidRequest("No rows are named.", field: "ids") }
    return try await export(device, format: wish.format ?? .zip, filter: NetworkFilter(), ids: Set(ids))
  }

  /// Everything is made once and looked through before the first byte leaves, then made again as it is sent.
  private static func export(
    _ device: Device, format: Format, filter: NetworkFilter, ids: Set<String>?
  ) async throws -> Response {
    let (log, secrets) = (device.log, device.secrets)
    let surroundings = try await device.surroundings()
    let (bundle, files, secretCount) = try await device.exports.run {
      let bundle = ExportBundle(selection: ExportSelection(of: log, filter: filter, ids: ids), surroundings: surroundings)
      let scan = ExportScan(registry: secrets)
      do {
        return (bundle, try format.files(of: bundle, scan), scan.secretCount)
      } catch is ExportScan.Refusal {
        // What was recorded before it was known to be secret is masked now.
        let masked = bundle.masked(by: secrets)
        return (masked, try format.files(of: masked, scan), scan.secretCount)
      }
    }
    let createdAt = surroundings.createdAt
    var response = Response(status: .ok)
    response.headers[.contentType] = format.type
    response.headers[.cacheControl] = "no-store"
    response.headers[.contentDisposition] = "attachment; filename=\"\(name(createdAt)).\(format.rawValue)\""
    response.headers[.exportRows] = String(bundle.selection.rows.count)
    response.headers[.exportMasks] = String(bundle.maskCount)
    response.headers[.exportSecrets] = String(secretCount)
    if format == .zip {
      let archive = try ZipStream(files: files, createdAt: createdAt)
      response.body = .stream(length: nil) { writer in
        // Compressing is no work for the connection's thread.
        while let bytes = try await Task.detached(operation: { try await archive.next() }).value { try await writer.write(bytes) }
      }
    } else {
      let file = files[0]
      response.body = .stream(length: nil) { writer in
        var next = 0
        while next < file.pieceCount {
          let first = next
          let (bytes, end) = await Task.detached { pieces(of: file, from: first) }.value
          try await writer.write(bytes)
          next = end
        }
      }
    }
    return response
  }

  /// Some pieces of a file from one on, and which comes next.
  private static func pieces(of file: ExportFile, from first: Int) -> (bytes: [UInt8], next: Int) {
    var bytes: [UInt8] = []
    var next = first
    while next < file.pieceCount, bytes.count < chunk {
      bytes += file.piece(next)
      next += 1
    }
    return (bytes, next)
  }

  /// `understudy-20261121-090507`.
  private static func name(_ instant: Timestamp) -> String {
    let digits = instant.text.filter(\.isNumber)
    return "understudy-\(digits.prefix(8))-\(digits.dropFirst(8).prefix(6))"
  }

  // MARK: One row

  /// `GET /api/network/{id}/curl`: a shell-safe command.
  static func curl(_ call: ConsoleCall, _ device: Device) throws -> Response {
    try text(call, device, type: "text/plain") { CurlCommand($0).text + "\n" }
  }

  /// `GET /api/network/{id}/swift`: a program for `URLSession`.
  static func swift(_ call: ConsoleCall, _ device: Device) throws -> Response {
    try text(call, device, type: "text/plain") { SwiftSnippet.text($0) }
  }

  /// `GET /api/network/{id}/markdown`: a report for a ticket.
  static func markdown(_ call: ConsoleCall, _ device: Device) throws -> Response {
    try text(call, device, type: "text/markdown") { MarkdownReport.text($0) }
  }

  private static func text(
    _ call: ConsoleCall, _ device: Device, type: String, _ make: (NetworkRowDetail) -> String
  ) throws -> Response {
    guard let id = call.request.parameters["id"], let detail = device.log.detail(id: id) else { throw Problem.notFound }
    let scan = ExportScan(registry: device.secrets)
    var bytes = Array(make(detail).utf8)
    if scan.holdsSecret(bytes) {
      // What was recorded before it was known to be secret is masked now.
      bytes = Array(make(detail.masked(by: device.secrets)).utf8)
      guard !scan.holdsSecret(bytes) else { throw Problem.exportRefused }
    }
    return Response(
      status: .ok, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"], body: .bytes(bytes))
  }
}

extension Problem {
  /// A live secret stands in what was asked for, so it does not leave.
  package static let exportRefused = Problem(
    .internalServerError, "export_refused", "A live secret stands in the export; nothing was written.")
}

extension HTTPField.Name {
  private static func named(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .contentDisposition }
  /// How many rows an export holds.
  static let exportRows = named("X-Export-Rows")
  /// How many secrets are masked in an export.
  static let exportMasks = named("X-Export-Masks")
  /// How many live secrets an export was searched for, and none found.
  static let exportSecrets = named("X-Export-Secrets")
}
