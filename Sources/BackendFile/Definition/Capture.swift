package import HTTPTypes

/// A capture of a request from its response.
package struct Capture: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// `/pointer`: a value of the JSON body.
    case pointer(ValuePointer)
    /// `header:X`: a header field.
    case header(HTTPField.Name)
    /// `cookie:X`: a cookie that the response sets.
    case cookie(String)
    /// `location:PARAM`: a parameter of the address in `Location`.
    case location(String)
  }

  /// One of the contract's names, which fills the client's field, or a name of the file's own.
  package let name: String
  package let source: Source
  package let place: FilePlace
}
