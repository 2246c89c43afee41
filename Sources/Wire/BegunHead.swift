package import HTTPTypes

/// What was read of a head that was refused before it was whole.
package struct BegunHead: Equatable, Sendable {
  /// The method.
  package let method: HTTPRequest.Method
  /// The path as on the wire, without the query; empty if the target has none.
  package let path: String
  /// The fields before the one that was refused.
  package let fields: HTTPFields
}
