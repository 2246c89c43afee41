/// Why a text is not accepted as YAML; contains no text of it except keys and names of anchors.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons of an error.
  package enum Reason: Hashable, Sendable {
    /// The text has more bytes than the options allow.
    case tooLarge(limit: Int)
    /// The text has more values than the options allow, including those behind aliases.
    case tooManyNodes(limit: Int)
    /// Values are nested more deeply than the options allow.
    case tooDeep
    case invalidUTF8
    /// The text is not YAML, in the words of libyaml.
    case syntax(String)
    case severalDocuments
    /// A key that is a sequence, a mapping or an alias.
    case keyIsNotText
    /// A duplicate key in a mapping.
    case duplicateKey(String)
    /// The key `<<`, which YAML 1.2 does not have.
    case mergeKey
    case tag
    /// An anchor or alias, which the options forbid.
    case alias
    /// An alias without an anchor before it.
    case unknownAnchor(String)
    /// A number in base 8 or 16 of more than 64 bits.
    case numberTooLarge
    /// A number that JSON does not have.
    case notFinite
  }

  package let reason: Reason
  /// Where the error is; nil if it concerns the whole text.
  package let place: YAMLPlace?

  package init(_ reason: Reason, at place: YAMLPlace? = nil) {
    self.reason = reason
    self.place = place
  }

  /// The reason as the end of a sentence, without the place.
  package var words: String {
    switch reason {
    case .tooLarge(let limit): "larger than \(limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB")"
    case .tooManyNodes(let limit): "more than \(limit) values, with aliases followed"
    case .tooDeep: "nested too deeply"
    case .invalidUTF8: "invalid UTF-8"
    case .syntax(let problem): problem
    case .severalDocuments: "a second document begins here"
    case .keyIsNotText: "a key must be a text"
    case .duplicateKey(let key): "duplicate key \(key)"
    case .mergeKey: "merge keys (<<) are not supported"
    case .tag: "tags (!) are not supported"
    case .alias: "anchors and aliases (& and *) are not allowed here"
    case .unknownAnchor(let name): "the alias *\(name) has no anchor before it"
    case .numberTooLarge: "a number has more than 64 bits"
    case .notFinite: "a number is infinite or not a number"
    }
  }

  package var description: String { place.map { "\(words), at \($0)" } ?? words }
}
