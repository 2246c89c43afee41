import Text

/// A position in a backend file, for messages.
package struct FilePlace: Hashable, Sendable {
  /// From 1.
  package let line: Int
  /// From 1, in characters.
  package let column: Int
  /// The keys that lead there, such as `calls.me.headers.Accept`; list elements are numbered from 0: `calls.logout[1].request`.
  package let path: String

  /// The beginning of the file.
  package static let none = FilePlace(line: 1, column: 1, path: "")
}

/// An error in a backend file.
package struct BackendFileError: Error, Hashable, Sendable {
  /// The file's name, as the user wrote it.
  package let file: String
  package let place: FilePlace
  package let message: String

  package init(file: String, place: FilePlace, message: String) {
    self.file = file
    self.place = place
    self.message = message
  }

  /// One line: file, line, column, the keys that lead there, and the error; keys cannot add lines or move the cursor.
  package var text: String {
    // A key can be as long as the file.
    let path = place.path.count > 200 ? "\(place.path.prefix(199))…" : place.path
    return "\(file):\(place.line):\(place.column): \(path.isEmpty ? "" : "\(path): ")\(message)".printable()
  }
}
