extension APIDescription {
  /// The shapes that calls share.
  static let schemas = #"""

        "schemas": {
          "Instant": {"type": "string", "format": "date-time", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$"},
          "ID": {"type": "string", "format": "uuid"},
          "LanguageCode": {"type": "string", "enum": ["en", "de", "fr", "es", "pl", "ja", "ar", "he"]},
          "Stage": {"type": "string", "enum": ["new", "learning", "review", "mastered"]},
          "Identifier": {
            "type": "string", "maxLength": 254,
            "description": "An e-mail address in ASCII with a dotted domain, or an international phone number.",
            "pattern": "^([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,32}([.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,31})?@[A-Za-z0-9]{1,63}([.][A-Za-z0-9]{1,63}){1,2}|[+][1-9][0-9]{6,14})$"
          },
          "LoginMessageReceipt": {
            "type": "object", "required": ["cooldown_seconds", "expires_in_seconds"], "additionalProperties": false,
            "properties": {
              "cooldown_seconds": {"type": "integer", "minimum": 0}, "expires_in_seconds": {"type": "integer", "minimum": 1}
            }
          },
          "TokenPair": {
            "type": "object", "additionalProperties": false,
            "required": ["access_token", "refresh_token", "token_type", "expires_in", "expires_at", "refresh_expires_in", "refresh_expires_at", "session_id"],
            "properties": {
              "access_token": {"type": "string", "minLength": 43},
              "refresh_token": {"type": "string", "minLength": 43},
              "token_type": {"const": "Bearer"},
              "expires_in": {"type": "integer", "minimum": 0},
              "expires_at": {"$ref": "#/components/schemas/Instant"},
              "refresh_expires_in": {"type": "integer", "minimum": 0},
              "refresh_expires_at": {"$ref": "#/components/schemas/Instant"},
              "session_id": {"$ref": "#/components/schemas/ID"},
              "profile": {"$ref": "#/components/schemas/Profile"}
            }
          },
          "Profile": {
            "type": "object", "required": ["profile_id", "language_code", "created_at"], "additionalProperties": false,
            "properties": {
              "profile_id": {"$ref": "#/components/schemas/ID"},
              "language_code": {"$ref": "#/components/schemas/LanguageCode"},
              "display_name": {"type": "string"},
              "created_at": {"$ref": "#/components/schemas/Instant"}
            }
          },
          "Me": {
            "type": "object", "required": ["user_id", "account_id", "roles", "profiles", "created_at"], "additionalProperties": false,
            "properties": {
              "user_id": {"$ref": "#/components/schemas/ID"},
              "account_id": {"$ref": "#/components/schemas/ID"},
              "email": {"type": "string"},
              "phone": {"type": "string", "pattern": "^[+][1-9][0-9]{6,14}$"},
              "display_name": {"type": "string"},
              "roles": {"type": "array", "items": {"type": "string"}},
              "active_profile_id": {"$ref": "#/components/schemas/ID"},
              "profiles": {"type": "array", "items": {"$ref": "#/components/schemas/Profile"}},
              "created_at": {"$ref": "#/components/schemas/Instant"},
              "deletion_scheduled_for": {"$ref": "#/components/schemas/Instant"}
            }
          },
          "AppConfig": {
            "type": "object", "additionalProperties": false,
            "required": ["default_language_code", "supported_languages", "features", "auth", "network_log", "session"],
            "properties": {
              "default_language_code": {"$ref": "#/components/schemas/LanguageCode"},
              "supported_languages": {"type": "array", "items": {
                "type": "object", "required": ["code", "name"], "additionalProperties": false,
                "properties": {"code": {"$ref": "#/components/schemas/LanguageCode"}, "name": {"type": "string", "minLength": 1}}
              }},
              "features": {
                "type": "object", "additionalProperties": false,
                "required": ["login_code", "analytics_opt_out", "developer_tools", "account_deletion", "logout_endpoint", "idempotency_keys"],
                "properties": {
                  "login_code": {"type": "boolean"}, "analytics_opt_out": {"type": "boolean"},
                  "developer_tools": {"type": "boolean"}, "account_deletion": {"type": "boolean"},
                  "logout_endpoint": {"type": "boolean"}, "idempotency_keys": {"type": "boolean"}
                }
              },
              "auth": {
                "type": "object", "required": ["cooldown_seconds", "code_length", "trusted_link_hosts"], "additionalProperties": false,
                "properties": {
                  "cooldown_seconds": {"type": "integer", "minimum": 0}, "code_length": {"type": "integer", "minimum": 1},
                  "trusted_link_hosts": {"type": "array", "items": {"type": "string"}}
                }
              },
              "network_log": {
                "type": "object", "required": ["capacity"], "additionalProperties": false,
                "properties": {"capacity": {"type": "integer", "minimum": 1}}
              },
              "session": {
                "type": "object", "required": ["refresh_margin_seconds"], "additionalProperties": false,
                "properties": {"refresh_margin_seconds": {"type": "integer", "minimum": 0}}
              }
            }
          },
          "Cue": {
            "type": "object", "additionalProperties": false,
            "required": ["cue_id", "profile_id", "prompt", "answer", "stage", "position", "updated_at"],
            "properties": {
              "cue_id": {"$ref": "#/components/schemas/ID"},
              "profile_id": {"$ref": "#/components/schemas/ID"},
              "prompt": {"type": "string", "minLength": 1},
              "answer": {"type": "string", "minLength": 1},
              "stage": {"$ref": "#/components/schemas/Stage"},
              "position": {"type": "integer", "minimum": 0},
              "updated_at": {"$ref": "#/components/schemas/Instant"}
            }
          },
          "CueList": {
            "type": "object", "required": ["cues", "server_time"], "additionalProperties": false,
            "properties": {
              "cues": {"type": "array", "items": {"$ref": "#/components/schemas/Cue"}},
              "server_time": {"$ref": "#/components/schemas/Instant"}
            }
          },
          "Error": {
            "type": "object", "required": ["error"], "additionalProperties": false,
            "properties": {"error": {
              "type": "object", "required": ["code", "message", "request_id"], "additionalProperties": false,
              "properties": {
                "code": {"type": "string"},
                "message": {"type": "string", "minLength": 1},
                "request_id": {"type": "string", "minLength": 1},
                "details": {
                  "type": "object", "required": ["cue"], "additionalProperties": false,
                  "properties": {"cue": {"$ref": "#/components/schemas/Cue"}}
                }
              }
            }}
          }
        }
    """#
}
