extension APIDescription {
  /// The paths of account and profiles.
  static let accountPaths = #"""

        "/rpc/me": {"get": {
          "operationId": "me", "tags": ["account"], "summary": "Who is signed in.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}],
          "responses": {
            "200": {
              "description": "Private, no-cache.", "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Me"}}}
            },
            "304": {"description": "The caller has it already."},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/app_config": {"get": {
          "operationId": "app_config", "tags": ["account"], "summary": "Flags, languages and durations.",
          "parameters": [],
          "responses": {
            "200": {
              "description": "May be kept for 300 s.", "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppConfig"}}}
            },
            "304": {"description": "The caller has it already."},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"}
          }
        }},
        "/rpc/get_or_create_account_profile": {"post": {
          "operationId": "get_or_create_account_profile", "tags": ["account"], "summary": "The account's profile of a language, made with its deck where there is none.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["account_id", "language_code"],
            "properties": {"account_id": {"type": "string"}, "language_code": {"$ref": "#/components/schemas/LanguageCode"}}
          }}}},
          "responses": {
            "200": {"description": "It was there.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Profile"}}}},
            "201": {"description": "It was made.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Profile"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "404": {"$ref": "#/components/responses/NotFound"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/set_active_profile": {"post": {
          "operationId": "set_active_profile", "tags": ["account"], "summary": "Makes the account's profile of a language the one in use.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["account_id", "language_code"],
            "properties": {"account_id": {"type": "string"}, "language_code": {"type": "string"}}
          }}}},
          "responses": {
            "200": {"description": "It is in use.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Profile"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "404": {"$ref": "#/components/responses/NotFound"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/request_account_deletion": {"post": {
          "operationId": "request_account_deletion", "tags": ["account"], "summary": "Schedules the account's deletion in 14 days; asked again, the same.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": false, "content": {"application/json": {"schema": {
            "type": "object"
          }}}},
          "responses": {
            "202": {"description": "Scheduled.", "content": {"application/json": {"schema": {"type": "object", "required": ["status", "scheduled_for"], "additionalProperties": false, "properties": {"status": {"const": "scheduled"}, "scheduled_for": {"$ref": "#/components/schemas/Instant"}}}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }}
    """#
}
