extension APIDescription {
  /// The paths of refresh, logout and the second dialect.
  static let sessionPaths = #"""

        "/rpc/refresh_tokens": {"post": {
          "operationId": "refresh_tokens", "tags": ["session"], "summary": "Exchanges the refresh token, which is then spent, for a new pair.",
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["refresh_token"], "properties": {"refresh_token": {"type": "string"}}
          }}}},
          "responses": {
            "200": {"description": "A new pair.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenPair"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/app/api/refresh-token": {"post": {
          "operationId": "app_refresh_token", "tags": ["session"], "summary": "Exchanges the refresh token, which is then spent, for a new pair.",
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["refresh_token"], "properties": {"refresh_token": {"type": "string"}}
          }}}},
          "responses": {
            "200": {"description": "A new pair.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenPair"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/app/api/logout": {"post": {
          "operationId": "app_logout", "tags": ["session"], "summary": "Ends the session at once.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": false, "content": {"application/json": {"schema": {
            "type": "object"
          }}}},
          "responses": {
            "204": {"description": "Ended."},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/app/api/call/start": {"post": {
          "operationId": "app_call_start", "tags": ["session"], "summary": "Begins a call to somebody.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["callee"], "properties": {"callee": {"type": "string", "minLength": 1, "maxLength": 320, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}}
          }}}},
          "responses": {
            "200": {"description": "Begun.", "content": {"application/json": {"schema": {"type": "object", "required": ["call_id"], "additionalProperties": false, "properties": {"call_id": {"type": "string", "format": "uuid"}}}}}},
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
