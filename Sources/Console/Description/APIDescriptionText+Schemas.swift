extension APIDescriptionText {
  /// The shapes that routes share.
  static var schemas: String {
    "{\(problemSchema),\(stateSchemas),\(accountSchemas),\(cueSchema),\(networkSchemas),\(faultSchemas)}"
  }

  private static let reasons = """
    Of no_device. browser_unknown: the key is a device's, but the cookie is not its browser's; POST /api/browser gives a new \
    cookie. device_unknown: the device is gone, and its key is worth nothing any more.
    """

  private static var problemSchema: String {
    let codes = ProblemCode.allCases.filter { $0 != .maskNotHeld }.map { string($0.code) }.joined(separator: ",")
    return #"""
      "Instant": {"type": "string", "format": "date-time", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$"},
      "Problem": {
        "type": "object", "required": ["type", "title", "status", "code", "request_id"], "additionalProperties": false,
        "properties": {
          "type": {"const": "about:blank"}, "title": {"type": "string"}, "status": {"type": "integer", "minimum": 400},
          "code": {"type": "string", "enum": [\#(codes)]}, "detail": {"type": "string"}, "field": {"type": "string"},
          "request_id": {"type": "string"}, "retry_after_seconds": {"type": "integer", "minimum": 0},
          "retry_at": {"$ref": "#/components/schemas/Instant"},
          "reason": {"type": "string", "enum": ["browser_unknown", "device_unknown"], "description": "\#(reasons)"}
        }
      }
      """#
  }

  private static let stateSchemas = #"""
    "User": {
      "type": "object", "required": ["user_id", "account_id", "roles", "created_at"], "additionalProperties": false,
      "properties": {
        "user_id": {"type": "string"}, "account_id": {"type": "string"}, "email": {"type": "string"}, "phone": {"type": "string"},
        "display_name": {"type": "string"}, "roles": {"type": "array", "items": {"type": "string"}},
        "active_profile_id": {"type": "string"}, "created_at": {"$ref": "#/components/schemas/Instant"},
        "deletion_scheduled_for": {"$ref": "#/components/schemas/Instant"}
      }
    },
    "State": {
      "type": "object", "required": ["device_id", "name", "version", "session", "cooldowns", "backend", "faults", "unsent_cue_edits"],
      "additionalProperties": false,
      "properties": {
        "device_id": {"type": "string", "format": "uuid"}, "name": {"type": "string"}, "version": {"type": "string"},
        "session": {
          "type": "object", "required": ["state", "since"], "additionalProperties": false,
          "properties": {
            "state": {"enum": ["signed_out", "authenticated", "refreshing", "error"]},
            "since": {"$ref": "#/components/schemas/Instant"}, "reason": {"type": "string"},
            "tokens_issued_at": {"$ref": "#/components/schemas/Instant"},
            "access_expires_at": {"$ref": "#/components/schemas/Instant"},
            "refresh_expires_at": {"$ref": "#/components/schemas/Instant"}, "user": {"$ref": "#/components/schemas/User"}
          }
        },
        "config": {"$ref": "#/components/schemas/Config"},
        "cooldowns": {"type": "array", "items": {
          "type": "object", "required": ["identifier_tag", "retry_at"], "additionalProperties": false,
          "properties": {"identifier_tag": {"type": "string"}, "retry_at": {"$ref": "#/components/schemas/Instant"}}
        }},
        "backend": {
          "type": "object", "required": ["url", "embedded", "id"], "additionalProperties": false,
          "properties": {"url": {"type": "string"}, "embedded": {"type": "boolean"}, "id": {"type": "string"}}
        },
        "faults": {
          "type": "object", "required": ["armed"], "additionalProperties": false,
          "properties": {"armed": {"type": "integer", "minimum": 0}}
        },
        "unsent_cue_edits": {"type": "integer", "minimum": 0}, "developer": {"$ref": "#/components/schemas/Developer"},
        "deletion": {
          "type": "object", "required": ["outcome", "asked_at"], "additionalProperties": false,
          "properties": {"outcome": {"const": "unknown"}, "asked_at": {"$ref": "#/components/schemas/Instant"}}
        }
      }
    }
    """#

  private static let accountSchemas = #"""
    "Config": {
      "type": "object", "additionalProperties": false,
      "required": ["default_language_code", "supported_languages", "features", "auth", "network_log", "session"],
      "properties": {
        "default_language_code": {"type": "string"},
        "supported_languages": {"type": "array", "items": {
          "type": "object", "required": ["code", "name"], "additionalProperties": false,
          "properties": {"code": {"type": "string"}, "name": {"type": "string"}}
        }},
        "features": {
          "type": "object", "additionalProperties": false,
          "required": ["login_code", "analytics_opt_out", "developer_tools", "account_deletion", "logout_endpoint", "idempotency_keys"],
          "properties": {
            "login_code": {"type": "boolean"}, "analytics_opt_out": {"type": "boolean"}, "developer_tools": {"type": "boolean"},
            "account_deletion": {"type": "boolean"}, "logout_endpoint": {"type": "boolean"}, "idempotency_keys": {"type": "boolean"}
          }
        },
        "auth": {
          "type": "object", "required": ["cooldown_seconds", "code_length", "trusted_link_hosts"], "additionalProperties": false,
          "properties": {
            "cooldown_seconds": {"type": "integer", "minimum": 0}, "code_length": {"type": "integer", "minimum": 1},
            "trusted_link_hosts": {"type": "array", "items": {"type": "string"}}
          }
        },
        "network_log": {"type": "object", "required": ["capacity"], "properties": {"capacity": {"type": "integer", "minimum": 1}}},
        "session": {
          "type": "object", "required": ["refresh_margin_seconds"],
          "properties": {"refresh_margin_seconds": {"type": "integer", "minimum": 0}}
        }
      }
    },
    "Profile": {
      "type": "object", "required": ["profile_id", "language_code", "created_at"], "additionalProperties": false,
      "properties": {
        "profile_id": {"type": "string"}, "language_code": {"type": "string"}, "display_name": {"type": "string"},
        "created_at": {"$ref": "#/components/schemas/Instant"}
      }
    },
    "Developer": {
      "type": "object", "required": ["tools", "flag", "role"], "additionalProperties": false,
      "properties": {"tools": {"type": "boolean"}, "flag": {"type": "boolean"}, "role": {"type": "boolean"}}
    },
    "Account": {
      "type": "object", "required": ["user", "profiles", "config", "settings", "developer", "source"], "additionalProperties": false,
      "properties": {
        "user": {"$ref": "#/components/schemas/User"},
        "profiles": {"type": "array", "items": {"$ref": "#/components/schemas/Profile"}},
        "active_profile": {"$ref": "#/components/schemas/Profile"}, "config": {"$ref": "#/components/schemas/Config"},
        "settings": {
          "type": "object", "required": ["analytics_opted_in", "preferred_language_code"], "additionalProperties": false,
          "properties": {"analytics_opted_in": {"type": "boolean"}, "preferred_language_code": {"type": "string"}}
        },
        "developer": {"$ref": "#/components/schemas/Developer"},
        "source": {"enum": ["network", "cache"]}
      }
    }
    """#

  private static let cueSchema = #"""
    "Cue": {
      "type": "object", "required": ["cue_id", "prompt", "answer", "stage", "position", "updated_at", "pending"],
      "additionalProperties": false,
      "properties": {
        "cue_id": {"type": "string"}, "prompt": {"type": "string"}, "answer": {"type": "string"},
        "stage": {"enum": ["new", "learning", "review", "mastered"]}, "position": {"type": "integer", "minimum": 0},
        "updated_at": {"$ref": "#/components/schemas/Instant"}, "pending": {"type": "boolean"},
        "conflict": {
          "type": "object", "required": ["stage", "updated_at"], "additionalProperties": false,
          "properties": {
            "stage": {"enum": ["new", "learning", "review", "mastered"]}, "updated_at": {"$ref": "#/components/schemas/Instant"}
          }
        }
      }
    }
    """#

  private static let networkSchemas = #"""
    "TimelineEntry": {
      "type": "object", "required": ["seq", "at", "kind"], "additionalProperties": false,
      "properties": {
        "seq": {"type": "integer", "minimum": 1}, "at": {"$ref": "#/components/schemas/Instant"},
        "kind": {"enum": ["session", "analytics", "fault"]}, "from": {"type": "string"}, "to": {"type": "string"},
        "name": {"type": "string"}, "reason": {"type": "string"}, "row_id": {"type": "string", "format": "uuid"}
      }
    },
    "NetworkRow": {
      "type": "object",
      "required": ["id", "seq", "rev", "call_id", "flow_id", "flow", "started_at", "method", "path", "endpoint", "attempt", "state", "request_bytes", "source", "is_pinned", "is_redacted"],
      "properties": {
        "id": {"type": "string", "format": "uuid"}, "seq": {"type": "integer", "minimum": 1},
        "rev": {"type": "integer", "minimum": 1}, "call_id": {"type": "string"}, "parent_id": {"type": "string"},
        "flow_id": {"type": "string"}, "flow": {"type": "string"}, "started_at": {"$ref": "#/components/schemas/Instant"},
        "method": {"type": "string"}, "path": {"type": "string"}, "endpoint": {"type": "string"},
        "attempt": {"type": "integer", "minimum": 1}, "status": {"type": "integer", "minimum": 100},
        "state": {"enum": ["waiting", "pending", "success", "failure", "cancelled"]}, "error": {"type": "string"},
        "duration_ms": {"type": "number"}, "request_bytes": {"type": "integer", "minimum": 0},
        "response_bytes": {"type": "integer", "minimum": 0}, "source": {"enum": ["network", "cache", "fault", "replay"]},
        "fault_id": {"type": "string"}, "is_pinned": {"type": "boolean"}, "is_redacted": {"type": "boolean"},
        "setup_ms": {"type": "number"}, "wait_ms": {"type": "number"}
      }
    },
    "NetworkMessage": {
      "type": "object", "required": ["headers"],
      "properties": {
        "status": {"type": "integer", "minimum": 100},
        "headers": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, "body_note": {"type": "string"}
      }
    },
    "Message": {
      "type": "object", "required": ["id", "to", "kind", "subject", "text", "delivered_at", "expires_at"],
      "additionalProperties": false,
      "properties": {
        "id": {"type": "string"}, "to": {"type": "string"}, "kind": {"enum": ["magic_link", "login_code"]},
        "subject": {"type": "string"}, "text": {"type": "string"}, "link": {"type": "string"}, "code": {"type": "string"},
        "delivered_at": {"$ref": "#/components/schemas/Instant"}, "expires_at": {"$ref": "#/components/schemas/Instant"}
      }
    }
    """#
}
