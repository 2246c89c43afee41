/// The backend's calls as OpenAPI 3.1, written by hand and held to by the tests: every route, every answer.
enum APIDescription {
  /// The document, JSON.
  static let text = """
    {\(head),
      "paths": {\(loginPaths),\(sessionPaths),\(accountPaths),\(cuePaths)},
      "components": {\(security),\(parameters),\(responses),\(schemas)}
    }

    """

  private static let head = #"""

      "openapi": "3.1.0",
      "info": {
        "title": "Understudy reference backend",
        "version": "1.0.0",
        "summary": "Accounts, sessions and cues over HTTPS and JSON.",
        "description": "Every call echoes X-Request-ID where it is a token of at most 128 characters. A backend with an API id demands X-Api-Id, X-Nonce (unix seconds, within 300 s) and X-Signature (lower-case hex of HMAC-SHA256 over api_id + method + path + body + nonce) on every call but this description. Unknown members of a body and unknown parameters are passed over. Dates are RFC 3339 with milliseconds. A request with an Origin, as pages in browsers send it, is refused."
      },
      "tags": [
        {"name": "login", "description": "From an identifier to a session."},
        {"name": "session", "description": "Carrying a session on and ending it."},
        {"name": "account", "description": "Who is signed in, and how the app is set up."},
        {"name": "cues", "description": "What a profile learns."}
      ]
    """#

  private static let security = #"""

        "securitySchemes": {
          "session": {"type": "http", "scheme": "bearer", "description": "The access token; the call must come from the device that signed in."}
        }
    """#

  private static let parameters = #"""

        "parameters": {
          "Device": {
            "name": "X-Device-ID", "in": "header", "required": true,
            "description": "The device; a login registers it, and a session's calls come from it alone.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[0-9A-Za-z!#$%&'*+.^_`|~-]+$"}
          },
          "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "The same key and body within 24 h give the same answer; another body, 409.",
            "schema": {"type": "string", "format": "uuid"}
          }
        }
    """#
}
