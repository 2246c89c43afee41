package import HTTPTypes

/// The security headers of every answer of the console.
package enum SecurityHeaders {
  /// Pages load only the console's own files, cannot be framed, send no referrer, and cannot turn strings into markup.
  package static var fields: HTTPFields {
    var fields = HTTPFields()
    let values: [(String, String)] = [
      ("Content-Security-Policy", policy),
      ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"),
      ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ]
    for (name, value) in values {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }

  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
    "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")
}
