import HTTPTypes
import JSON
import Testing

@testable import OpenAPI

@Suite struct APIDocumentTests {
  private struct Body: Codable {
    let id: String
    let at: Timestamp
  }

  private func document(_ operations: (HTTPRequest.Method, String, Operation)...) -> APIDocument {
    var document = APIDocument(
      title: "Test", version: "1", summary: "A test.", description: "Nothing else.", tags: [.init("things", "Things.")],
      securitySchemes: ["session": .bearer("The token."), "device": .apiKey(header: "X-Device-Key")])
    for (method, path, operation) in operations { document.add(method, path, operation) }
    return document
  }

  private let refused = Operation.Response.content(
    "Refused.", "application/json", .of(Body.self), status: .unauthorized
  ).with(.init("WWW-Authenticate")).named("Refused")

  private var read: Operation {
    Operation(
      "read", tag: "things", "Reads a thing.",
      parameters: [.query("after", "The last one.", .integer), .header("X-Device-ID", isRequired: true).named("Device")],
      responses: [.json("The thing.", Body.self), refused], security: [["session"], ["device"]])
  }

  @Test func itListsPathsAndSharedPartsOnce() throws {
    let remove = Operation(
      "remove", tag: "things", "Removes a thing.", request: .json(Body.self, isRequired: false),
      responses: [.empty(.noContent, "Done."), refused])
    let document = document((.get, "/things/{id}", read), (.delete, "/things/{id}", remove))
    #expect(document.faults.isEmpty)
    let json = try JSONDocument(parsing: document.json).root
    #expect(json["openapi"]?.string == "3.1.0" && json["info"]?["title"]?.string == "Test")
    let get = json["paths"]?["/things/{id}"]?["get"]
    #expect(get?["operationId"]?.string == "read")
    #expect(get?["security"]?.sourceText == #"[{"session":[]},{"device":[]}]"#)
    #expect(
      get?["parameters"]?.sourceText
        == ##"[{"in":"path","name":"id","required":true,"schema":{"type":"string"}},{"description":"The last one.","in":"query","name":"after","required":false,"schema":{"type":"integer"}},{"$ref":"#/components/parameters/Device"}]"##
    )
    #expect(get?["responses"]?["401"]?.sourceText == ##"{"$ref":"#/components/responses/Refused"}"##)
    #expect(json["components"]?["responses"]?["Refused"]?["headers"]?["WWW-Authenticate"]?["required"]?.bool == true)
    #expect(json["components"]?["parameters"]?["Device"]?["in"]?.string == "header")
    #expect(json["components"]?["schemas"]?["Instant"]?["format"]?.string == "date-time")
    let delete = json["paths"]?["/things/{id}"]?["delete"]
    #expect(delete?["security"] == nil && delete?["requestBody"]?["required"]?.bool == false)
    #expect(delete?["responses"]?["204"]?.sourceText == #"{"description":"Done."}"#)
  }

  @Test func whatDoesNotAgreeIsAFault() {
    let broken = Operation(
      "read", tag: "none", "Broken.", parameters: [.query("a", nil, Schema.of(Body.self).refined(["ib": .uuid]))],
      responses: [.empty(.ok, "One."), .empty(.ok, "Two.").named("Refused")], security: [["other"]])
    let faults = document((.get, "/a", read), (.post, "/a", broken)).faults
    #expect(faults.contains("read: the id is used twice"))
    #expect(faults.contains("read: no tag none"))
    #expect(faults.contains("read: no security scheme other"))
    #expect(faults.contains("read: a status is described twice"))
    #expect(faults.contains("there is no member ib"))
    #expect(faults.contains("Refused names two different things"))
    #expect(document().faults == ["things: the tag has no operation"])
  }
}
