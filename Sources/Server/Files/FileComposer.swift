/// Makes files that are served of other files of the folder.
package protocol FileComposer: Sendable {
  /// Whether the file is only a part of others and has no address of its own.
  func isSource(_ path: String) -> Bool

  /// The content of the file with this relative path, or nil if this composer does not make it.
  ///
  /// Everything that it reads must come from `sources`: the content is made again when one of them changes.
  func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]?
}

/// Why a file cannot be made of its sources.
package enum CompositionError: Error, Equatable, Sendable {
  /// The process or the machine cannot read a source now.
  case unavailable
  /// The sources do not fit together; the text says which and why.
  case invalid(String)
}
