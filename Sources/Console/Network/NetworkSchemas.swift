package import Observability
package import OpenAPI

extension NetworkRow: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).refined(refinements).named("NetworkRow") }

  fileprivate static let refinements: KeyValuePairs<String, Refinement> = [
    "id": .uuid, "seq": .minimum(1), "rev": .minimum(1), "attempt": .minimum(1), "status": .minimum(100),
    "request_bytes": .minimum(0), "response_bytes": .minimum(0), "drift_count": .minimum(2),
  ]
}

extension NetworkRowDetail {
  /// The row's members and the detail's own in one object, recorded from examples because it encodes itself by hand.
  static var schema: Schema {
    .recorded(fromExamples: examples).refined(NetworkRow.refinements)
      .refined(["response.status": .minimum(100), "redactions.count": .minimum(1)])
  }
}

extension NetworkPage: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).refined(["capacity": .minimum(1)]) }
}

extension NetworkSearchPage: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).refined(["matches[]": .minimum(1)]) }
}

extension TimelineEntry: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined(["seq": .minimum(1), "row_id": .uuid]).named("TimelineEntry")
  }
}
