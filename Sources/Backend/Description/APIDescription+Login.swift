extension APIDescription {
  /// The paths of the four login calls.
  static let loginPaths = #"""

        "/rpc/request_magic_link": {"post": {
          "operationId": "request_magic_link", "tags": ["login"],
          "summary": "Sends a link, with a code beside it; the same answer whether anybody is there or not.",
          "parameters": [{"$ref": "#/components/parameters/Device"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["identifier"],
            "properties": {
              "identifier": {"$ref": "#/components/schemas/Identifier"},
              "state": {"type": ["string", "null"], "minLength": 1, "maxLength": 512, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}
            }
          }}}},
          "responses": {
            "200": {"description": "Sent.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LoginMessageReceipt"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "429": {"$ref": "#/components/responses/TooManyAttempts"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/request_login_code": {"post": {
          "operationId": "request_login_code", "tags": ["login"], "summary": "Sends a code alone.",
          "parameters": [{"$ref": "#/components/parameters/Device"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["identifier"],
            "properties": {"identifier": {"$ref": "#/components/schemas/Identifier"}}
          }}}},
          "responses": {
            "200": {"description": "Sent.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LoginMessageReceipt"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "429": {"$ref": "#/components/responses/TooManyAttempts"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/login_with_magic_token": {"post": {
          "operationId": "login_with_magic_token", "tags": ["login"], "summary": "Redeems a link's token, once.",
          "parameters": [{"$ref": "#/components/parameters/Device"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["token"],
            "properties": {"token": {"type": "string"}, "state": {"type": ["string", "null"]}}
          }}}},
          "responses": {
            "200": {"description": "A session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenPair"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/login_with_code": {"post": {
          "operationId": "login_with_code", "tags": ["login"], "summary": "Redeems a code; five attempts a message.",
          "parameters": [{"$ref": "#/components/parameters/Device"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["identifier", "code"],
            "properties": {"identifier": {"$ref": "#/components/schemas/Identifier"}, "code": {"type": "string"}}
          }}}},
          "responses": {
            "200": {"description": "A session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenPair"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }}
    """#
}
