package import HTTPTypes

/// A route's request and responses.
package struct Operation: Sendable {
  package struct RequestBody: Sendable {
    let mediaTypes: [String]
    let schema: Schema
    let isRequired: Bool

    /// The schema of a body in JSON; nil for a file.
    package var jsonSchema: Schema? { mediaTypes == ["application/json"] ? schema : nil }

    /// A file of one of several media types.
    package static func file(_ mediaTypes: [String]) -> RequestBody {
      RequestBody(mediaTypes: mediaTypes, schema: .binary, isRequired: true)
    }

    /// A JSON body that a type is decoded from.
    package static func json<Value: Decodable>(_ type: Value.Type, isRequired: Bool = true) -> RequestBody {
      .json(.request(type), isRequired: isRequired)
    }

    /// A JSON body.
    package static func json(_ schema: Schema, isRequired: Bool = true) -> RequestBody {
      RequestBody(mediaTypes: ["application/json"], schema: schema, isRequired: isRequired)
    }
  }

  /// A response with a status.
  package struct Response: Sendable {
    package let status: Int
    let description: String
    var content: (mediaType: String, schema: Schema)?
    var headers: [Header] = []
    var name: String?

    /// A response without a body.
    package static func empty(_ status: HTTPResponse.Status, _ description: String) -> Response {
      Response(status: status.code, description: description)
    }

    /// A response in JSON that a type is encoded as.
    package static func json<Value: Decodable>(
      _ description: String, _ type: Value.Type, status: HTTPResponse.Status = .ok
    ) -> Response {
      .content(description, "application/json", .of(type), status: status)
    }

    /// A response with a body of a media type.
    package static func content(
      _ description: String, _ mediaType: String, _ schema: Schema, status: HTTPResponse.Status = .ok
    ) -> Response {
      Response(status: status.code, description: description, content: (mediaType, schema))
    }

    /// The same response with headers.
    package func with(_ headers: Header...) -> Response {
      var response = self
      response.headers += headers
      return response
    }

    /// The same response under a name, which the document lists once.
    package func named(_ name: String) -> Response {
      var response = self
      response.name = name
      return response
    }
  }

  /// A header that an answer always has.
  package struct Header: Sendable {
    let name: String
    let schema: Schema

    package init(_ name: String, _ schema: Schema = .string) {
      self.name = name
      self.schema = schema
    }
  }

  /// The operation's id, unique in the document.
  package let id: String
  package let tag: String
  package let summary: String
  package var parameters: [Parameter]
  package var request: RequestBody?
  package var responses: [Response]
  /// The security schemes by name that a call has to fulfil, as alternatives of which one suffices; empty for an open route.
  package var security: [[String]]

  package init(
    _ id: String, tag: String, _ summary: String, parameters: [Parameter] = [], request: RequestBody? = nil,
    responses: [Response], security: [[String]] = []
  ) {
    self.id = id
    self.tag = tag
    self.summary = summary
    self.parameters = parameters
    self.request = request
    self.responses = responses
    self.security = security
  }
}

/// A parameter of a request in addition to its body.
package struct Parameter: Sendable {
  /// The place of a parameter.
  package enum Place: String, Sendable {
    case query, header, path
  }

  let name: String
  let place: Place
  let description: String?
  let schema: Schema
  let isRequired: Bool
  /// The name under which the document lists it once.
  var sharedName: String?

  /// A parameter of the query.
  package static func query(
    _ name: String, _ description: String? = nil, _ schema: Schema = .string, isRequired: Bool = false
  ) -> Parameter {
    Parameter(name: name, place: .query, description: description, schema: schema, isRequired: isRequired)
  }

  /// A header of the request.
  package static func header(
    _ name: String, _ description: String? = nil, _ schema: Schema = .string, isRequired: Bool = false
  ) -> Parameter {
    Parameter(name: name, place: .header, description: description, schema: schema, isRequired: isRequired)
  }

  /// A variable of the path; one that is not listed is described as a string.
  package static func path(_ name: String, _ description: String? = nil, _ schema: Schema = .string) -> Parameter {
    Parameter(name: name, place: .path, description: description, schema: schema, isRequired: true)
  }

  /// The same parameter under a name, which the document lists once.
  package func named(_ name: String) -> Parameter {
    var parameter = self
    parameter.sharedName = name
    return parameter
  }
}
