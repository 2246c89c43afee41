extension APIDescription {
  /// The paths of cues.
  static let cuePaths = #"""

        "/rpc/get_cues": {"get": {
          "operationId": "get_cues", "tags": ["cues"], "summary": "A profile's cues in their order, or those stamped at or after an instant.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"},
            {"name": "profile_id", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/ID"}},
            {"name": "updated_since", "in": "query", "required": false, "schema": {"type": "string", "format": "date-time"}}],
          "responses": {
            "200": {
              "description": "Private, no-cache; the validator leaves server_time out.", "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CueList"}}}
            },
            "304": {"description": "The caller has it already."},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "404": {"$ref": "#/components/responses/NotFound"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }},
        "/rpc/shuffle_cues": {"post": {
          "operationId": "shuffle_cues", "tags": ["cues"], "summary": "Puts a profile's cues into another order.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["profile_id"], "properties": {"profile_id": {"type": "string"}}
          }}}},
          "responses": {
            "200": {"description": "In their new order.", "content": {"application/json": {"schema": {"type": "object", "required": ["cues"], "additionalProperties": false, "properties": {"cues": {"type": "array", "items": {"$ref": "#/components/schemas/Cue"}}}}}}},
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
        "/rpc/update_cue_stage": {"post": {
          "operationId": "update_cue_stage", "tags": ["cues"], "summary": "Moves a cue to a stage, unless it was changed since base_updated_at.",
          "security": [{"session": []}],
          "parameters": [{"$ref": "#/components/parameters/Device"}, {"$ref": "#/components/parameters/IdempotencyKey"}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["cue_id", "stage", "base_updated_at"],
            "properties": {
              "cue_id": {"type": "string"}, "stage": {"$ref": "#/components/schemas/Stage"},
              "base_updated_at": {"type": "string", "format": "date-time"}
            }
          }}}},
          "responses": {
            "200": {"description": "The cue with its new stamp.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Cue"}}}},
            "400": {"$ref": "#/components/responses/BadRequest"},
            "401": {"$ref": "#/components/responses/Unauthorized"},
            "403": {"$ref": "#/components/responses/Forbidden"},
            "404": {"$ref": "#/components/responses/NotFound"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "413": {"$ref": "#/components/responses/PayloadTooLarge"},
            "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
            "503": {"$ref": "#/components/responses/Unavailable"}
          }
        }}
    """#
}
