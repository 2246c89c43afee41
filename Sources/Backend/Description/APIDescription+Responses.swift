extension APIDescription {
  /// The refusals that calls share.
  static let responses = #"""

        "responses": {
          "BadRequest": {
            "description": "Not what the call takes.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["invalid_request", "invalid_identifier"]}}}}}
            ]}}}
          },
          "Unauthorized": {
            "description": "The session, code, link or signature is not good.", "headers": {"WWW-Authenticate": {"required": true, "schema": {"type": "string"}}},
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["ErrAccessTokenExpired", "ErrRefreshTokenExpired", "ErrDeviceNotRegistered", "invalid_token", "refresh_token_reused", "login_link_invalid", "login_code_invalid", "invalid_signature"]}}}}}
            ]}}}
          },
          "Forbidden": {
            "description": "A browser's page asks, or somebody under a name that is not the backend's.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["forbidden"]}}}}}
            ]}}}
          },
          "NotFound": {
            "description": "No such thing, or another account's.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["not_found", "profile_not_found", "cue_not_found"]}}}}}
            ]}}}
          },
          "Conflict": {
            "description": "The cue was changed, or the key was used for another body.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["conflict", "idempotency_mismatch"]}}}}}
            ]}}}
          },
          "PayloadTooLarge": {
            "description": "Over 1 MiB.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["payload_too_large"]}}}}}
            ]}}}
          },
          "UnsupportedMediaType": {
            "description": "A body that is not application/json.",
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["unsupported_media_type"]}}}}}
            ]}}}
          },
          "TooManyAttempts": {
            "description": "Waiting exactly Retry-After seconds works.", "headers": {"Retry-After": {"required": true, "schema": {"type": "integer", "minimum": 1}}},
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["too_many_attempts"]}}}}}
            ]}}}
          },
          "Unavailable": {
            "description": "The data cannot be used now; nothing was done.", "headers": {"Retry-After": {"required": true, "schema": {"type": "integer", "minimum": 1}}},
            "content": {"application/json": {"schema": {"allOf": [
              {"$ref": "#/components/schemas/Error"},
              {"properties": {"error": {"properties": {"code": {"enum": ["unavailable"]}}}}}
            ]}}}
          }
        }
    """#
}
