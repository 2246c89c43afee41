import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server
import Wire

/// The routes that export rows as files and as text to copy.
enum ExportRoutes {
  /// The format of an exported log.
  enum Format: String, CaseIterable, Decodable, Sendable {
    case zip, har, json

    /// The media type.
    var type: String { self == .zip ? "application/zip" : "application/json" }

    /// The files of a bundle, after a scan; throws `ExportScan.Refusal` if one contains a secret.
    fileprivate func files(of bundle: ExportBundle, _ scan: ExportScan) throws -> [ExportFile] {
      let files = self == .zip ? bundle.files : [self == .har ? bundle.har : bundle.json]
      let digests = try files.map { try scan.digest($0) }
      return self == .zip ? files + [ExportBundle.digests(digests)] : files
    }
  }

  private struct Selection: Decodable {
    let format: Format?
    let ids: [String]
  }

  /// How many rows can be selected.
  private static let idLimit = 20_000
  /// How many bytes are sent at a time.
  private static let chunk = 128 * 1024

  /// The response with a file.
  static let file = Operation.Response.content(
    """
    The file as an attachment; X-Export-Rows counts its rows, X-Export-Masks the masked values in them, X-Export-Secrets the live \
    secrets that it was searched for.
    """, "application/zip", .binary)

  /// The parameters of an export.
  static let parameters: [Parameter] =
    [
      .query("format", "zip by default.", .string.refined(by: .oneOf(Format.allCases.map(\.rawValue)))),
      .query("ids", "Comma-separated ids of rows; all rows if it is missing."),
    ] + NetworkRoutes.filters

  static let routes =
    [
      ConsoleRoute(
        .get, "/api/network/export",
        Operation(
          "exportNetwork", tag: "network", "The log as a zip bundle, HAR 1.2 or JSON.",
          parameters: parameters, responses: [file]),
        codes: [.invalidRequest, .exportRefused, .tooManyAttempts], .device { call, device in try await export(call, device) }),
      ConsoleRoute(
        .post, "/api/network/export",
        Operation(
          "exportRows", tag: "network", "Selected rows as a zip bundle, HAR 1.2 or JSON.",
          request: .json(.request(Selection.self).refined(["ids": .count(0...idLimit)])), responses: [file]),
        codes: [.exportRefused, .tooManyAttempts], .device { call, device in try await exportSelection(call, device) }),
    ]
    + copies(at: "/api/network/{id}", ids: "row", tag: "network") { call, device in
      try await NetworkRoutes.attempt(call, device)
    }

  /// Finds the row that a request names; throws `Problem.notFound`.
  typealias FindRow = @Sendable (ConsoleCall, Device) async throws -> NetworkRowDetail

  /// The routes that return one row as text to copy.
  static func copies(at path: String, ids: String, tag: String, _ find: @escaping FindRow) -> [ConsoleRoute] {
    func copy(
      _ format: String, _ summary: String, type: String = "text/plain", _ make: @escaping @Sendable (NetworkRowDetail) -> String
    ) -> ConsoleRoute {
      let id = "\(ids)As\(format.prefix(1).uppercased())\(format.dropFirst())"
      return ConsoleRoute(
        .get, "\(path)/\(format)",
        Operation(id, tag: tag, summary, responses: [.content("Secrets are masked.", type, .string)]),
        codes: [.notFound, .exportRefused],
        .device { call, device in try text(try await find(call, device), device, type: type, make) })
    }
    return [
      copy("curl", "A command for a POSIX shell, with variables in place of secrets.") { CurlCommand($0).text + "\n" },
      copy("swift", "A program for URLSession that reads secrets from the environment.") { SwiftSnippet.text($0) },
      copy("markdown", "A report for a ticket.", type: "text/markdown") { MarkdownReport.text($0) },
    ]
  }

  /// The format that a request asks for; throws `Problem`.
  static func format(_ call: ConsoleCall) throws -> Format {
    guard let format = Format(rawValue: call.query("format") ?? Format.zip.rawValue) else {
      throw Problem.invalidRequest("The format is zip, har or json.", field: "format")
    }
    return format
  }

  /// The ids that a request selects; nil for all.
  static func ids(_ call: ConsoleCall) -> Set<String>? {
    call.query("ids").map { Set($0.split(separator: ",").map(String.init)) }
  }

  /// `GET /api/network/export`, with the list's filters and `ids=`, comma-separated.
  private static func export(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let filter = try call.networkFilter()
    return try await export(call, device, format: try format(call), filter: filter, ids: ids(call))
  }

  /// `POST /api/network/export`: selected rows, which can be more than fit into a URL.
  private static func exportSelection(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let selection = try await call.body(Selection.self)
    return try await export(call, device, format: selection.format ?? .zip, filter: NetworkFilter(), ids: Set(selection.ids))
  }

  private static func export(
    _ call: ConsoleCall, _ device: Device, format: Format, filter: NetworkFilter, ids: Set<String>?
  ) async throws -> Response {
    let surroundings = try await device.surroundings()
    let held = ExportSelection(of: device.log, filter: filter, ids: ids)
    let selection = ExportSelection(rows: try await device.rows(held, ids: ids), isWhole: held.isWhole)
    return try await answer(device, format, surroundings.createdAt) {
      ExportBundle(selection: selection, surroundings: surroundings, viewer: format == .zip ? call.viewer : nil)
    }
  }

  /// Writes and scans everything once before the first byte is sent, then writes it again while it is sent.
  static func answer(
    _ device: Device, _ format: Format, _ createdAt: Timestamp, _ make: @escaping @Sendable () -> ExportBundle
  ) async throws -> Response {
    let secrets = device.secrets
    let (bundle, files, secretCount) = try await device.exports.run {
      let bundle = make()
      let scan = ExportScan(registry: secrets)
      do {
        return (bundle, try format.files(of: bundle, scan), scan.secretCount)
      } catch is ExportScan.Refusal {
        // A value that became known as a secret after it was recorded is masked now.
        let masked = bundle.masked(by: secrets)
        return (masked, try format.files(of: masked, scan), scan.secretCount)
      }
    }
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
        // Compression would block the connection's thread.
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

  /// Some pieces of a file, and the index of the one after them.
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

  /// `…/curl`, `…/swift` and `…/markdown` of a row.
  private static func text(
    _ detail: NetworkRowDetail, _ device: Device, type: String, _ make: (NetworkRowDetail) -> String
  ) throws -> Response {
    let scan = ExportScan(registry: device.secrets)
    var bytes = Array(make(detail).utf8)
    if scan.holdsSecret(bytes) {
      // A value that became known as a secret after it was recorded is masked now.
      bytes = Array(make(detail.masked(by: device.secrets)).utf8)
      guard !scan.holdsSecret(bytes) else { throw Problem.exportRefused }
    }
    return Response(
      status: .ok, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"], body: .bytes(bytes))
  }
}

extension Problem {
  /// The export contains a live secret, so it is not sent.
  package static let exportRefused = Problem(.exportRefused, "The export contains a live secret and was not sent.")
}

extension HTTPField.Name {
  /// The number of rows in an export.
  static let exportRows = constant("X-Export-Rows")
  /// The number of masked values in an export.
  static let exportMasks = constant("X-Export-Masks")
  /// The number of live secrets that an export was searched for.
  static let exportSecrets = constant("X-Export-Secrets")
}
