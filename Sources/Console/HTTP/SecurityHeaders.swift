package import HTTPTypes
import Wire

/// The security headers of every response of the console.
package enum SecurityHeaders {
  /// Pages load only the console's own files, cannot be framed, send no referrer, and cannot turn strings into markup.
  package static var fields: HTTPFields {
    var fields = HTTPFields()
    fields[.contentSecurityPolicy] = policy
    fields[.xContentTypeOptions] = "nosniff"
    fields[.constant("Referrer-Policy")] = "no-referrer"
    fields[.constant("X-Frame-Options")] = "DENY"
    fields[.constant("Cross-Origin-Opener-Policy")] = "same-origin"
    fields[.crossOriginResourcePolicy] = "same-origin"
    fields[.constant("Permissions-Policy")] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    return fields
  }

  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
    "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")
}
