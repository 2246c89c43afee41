/// The media types of front-end files.
enum FileMediaType {
  /// The media type by file name extension; `application/octet-stream` if it is unknown.
  static func forFile(named name: String) -> String {
    switch name.split(separator: ".").last.map({ $0.lowercased() }) ?? "" {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "webmanifest": "application/manifest+json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "webp": "image/webp"
    case "ico": "image/x-icon"
    case "woff2": "font/woff2"
    case "txt": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }

  /// Whether compression can reduce the size.
  static func isCompressible(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.hasPrefix("application/json") || type == "image/svg+xml"
      || type == "application/manifest+json" || type == "image/x-icon"
  }
}
