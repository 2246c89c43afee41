import Client
import HTTPTypes

extension APIDescriptionText {
  private static let armed = OperationDescription.Answer.json("Armed.", .shared("Fault"), status: 201)

  /// The routes of fault rules.
  static let faultOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/faults", name: "faults", tag: "faults", summary: "The rules, the one that is tried first first.",
      answers: [
        .json(
          "In their order.",
          .object(["faults": .list(.shared("Fault")), "armed": .number(from: 0), "server_time": .instant]))
      ]),
    OperationDescription(
      method: .post, path: "/api/faults", name: "armFault", tag: "faults",
      summary: "Arms a rule behind the others, for 15 minutes unless it says otherwise; 0 seconds are for ever.",
      body: .body(
        ["action": .shared("FaultAction")],
        optional: [
          "name": .text(1...60), "preset": .text, "match": .shared("FaultMatch"), "when": .shared("FaultWhen"),
          "expires_in_seconds": .number(0...604_800),
        ]), answers: [armed]),
    OperationDescription(
      method: .delete, path: "/api/faults", name: "disarmFaults", tag: "faults", summary: "Drops every rule.",
      answers: [.noContent]),
    OperationDescription(
      method: .patch, path: "/api/faults/{id}", name: "changeFault", tag: "faults",
      summary: "Edits, switches, arms again or moves a rule; what is left out stays. One that does something else begins anew.",
      body: .body(
        optional: [
          "name": .text(1...60), "match": .shared("FaultMatch"), "when": .shared("FaultWhen"),
          "action": .shared("FaultAction"), "expires_in_seconds": .number(0...604_800), "armed": .flag,
          "position": .number(0...FaultPlan.limit),
        ]), answers: [.json("As it is now.", .shared("Fault"))], codes: [.notFound]),
    OperationDescription(
      method: .delete, path: "/api/faults/{id}", name: "dropFault", tag: "faults", summary: "Drops a rule.",
      answers: [.noContent], codes: [.notFound]),
    OperationDescription(
      method: .get, path: "/api/faults/presets", name: "faultPresets", tag: "faults", summary: "Rules that belong together.",
      answers: [
        .json(
          "Those that a phone meets by itself first.",
          .object([
            "presets": .list(
              .object([
                "id": .text, "name": .text,
                "rules": .list(
                  .object([
                    "name": .text, "preset": .text, "match": .shared("FaultMatch"), "when": .shared("FaultWhen"),
                    "action": .shared("FaultAction"), "expires_in_seconds": .number(from: 0),
                  ])),
              ]))
          ]))
      ]),
    OperationDescription(
      method: .post, path: "/api/faults/presets/{id}", name: "armFaultPreset", tag: "faults",
      summary: "Arms the rules of a preset, all or none.",
      answers: [.json("Armed.", .object(["faults": .list(.shared("Fault"))]), status: 201)], codes: [.invalidRequest, .notFound]),
    OperationDescription(
      method: .post, path: "/api/faults/preview", name: "previewFault", tag: "faults",
      summary: "How many of the latest 500 attempts a match would have fitted.",
      body: .body(["match": .shared("FaultMatch")]),
      answers: [.json("Counted.", .object(["matched": .number(from: 0), "of": .number(from: 0)]))]),
  ]

  /// The shapes of fault rules.
  static var faultSchemas: String {
    let kinds = FaultKind.allCases.map { string($0.rawValue) }.joined(separator: ",")
    return #"""
      "FaultMatch": {
        "type": "object",
        "properties": {
          "method": {"enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]},
          "endpoint": {"type": "string", "minLength": 1, "maxLength": 100}
        }
      },
      "FaultWhen": {
        "type": "object",
        "properties": {
          "skip": {"type": "integer", "minimum": 0, "maximum": 1000000}, "every": {"type": "integer", "minimum": 1, "maximum": 1000},
          "count": {"type": "integer", "minimum": 1, "maximum": 1000000},
          "probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
          "seed": {"type": "integer", "minimum": 0, "maximum": 9007199254740991}
        }
      },
      "FaultAction": {
        "type": "object", "required": ["kind"],
        "properties": {
          "kind": {"enum": [\#(kinds)]}, "status": {"type": "integer", "minimum": 300, "maximum": 599},
          "code": {"type": "string", "minLength": 1, "maxLength": 64},
          "retry_after_seconds": {"type": "integer", "minimum": 1, "maximum": 86400},
          "latency_ms": {"type": "integer", "minimum": 1, "maximum": 600000},
          "skew_seconds": {"type": "integer", "minimum": -315360000, "maximum": 315360000}
        }
      },
      "Fault": {
        "type": "object", "required": ["id", "name", "match", "when", "action", "armed_at", "hits", "state"],
        "additionalProperties": false,
        "properties": {
          "id": {"type": "string", "format": "uuid"}, "name": {"type": "string"}, "preset": {"type": "string"},
          "match": {"$ref": "#/components/schemas/FaultMatch"}, "when": {"$ref": "#/components/schemas/FaultWhen"},
          "action": {"$ref": "#/components/schemas/FaultAction"}, "armed_at": {"$ref": "#/components/schemas/Instant"},
          "expires_at": {"$ref": "#/components/schemas/Instant"}, "hits": {"type": "integer", "minimum": 0},
          "state": {"enum": ["armed", "off", "expired", "spent"]}
        }
      }
      """#
  }
}
