import Locking
import Text

/// The live secrets of a device, and the masking of texts that contain them.
///
/// Keeps the latest 16 values of each kind (8 for codes and links).
package final class SecretRegistry: Sendable {
  private struct State {
    /// The values of each kind, latest last.
    var slots: [SecretKind: [String]] = [:]
    /// Values that are masked only where they are a whole value or a whole word, latest last.
    var wholes: [RegisteredValue] = []
    /// Other spellings of values, if they differ by more than case.
    var spellings: [RegisteredValue: [String]] = [:]
    /// The patterns of values, kept from one search to the next.
    var patterns: [RegisteredValue: [SecretSearchPattern]] = [:]
    /// The prepared search; nil after a change or a rest, until the next search.
    var prepared: Prepared?
    var generation: UInt64 = 0
  }

  /// A prepared search, created at the first search because it is many times larger than the values.
  private struct Prepared {
    let matcher: SecretMatcher
    /// Values by the digits of their tags.
    let values: [String: String]
    /// The digits of the tags by value.
    let tagDigits: [String: String]
    /// Kinds by value.
    let kinds: [String: SecretKind]
    /// The kinds of values that are masked only as whole values and words, by the value in lower case.
    let wholes: [String: SecretKind]
    let numbers: SecretNumbers
  }

  private struct RegisteredValue: Hashable {
    let kind: SecretKind
    let value: String
  }

  private let tagKey: [UInt8]
  private let rules: RedactionRules
  private let state = Locked(State())

  /// Creates a registry with a key for tags: random bytes of this process, so that tags are meaningless outside it.
  package init(tagKey: [UInt8], rules: RedactionRules = .all) {
    self.tagKey = tagKey
    self.rules = rules
  }

  /// Registers a secret, or makes it the latest of its kind; ignores values that are not plausible for the kind.
  ///
  /// `spelling` is another form of the value, which is masked as well.
  package func register(_ value: String, kind: SecretKind, spelling: String? = nil) {
    // Every attempt registers its token, which nearly always is the latest already.
    if spelling == nil, state.withLock({ $0.slots[kind]?.last == value }) { return }
    guard kind.isPlausible(value) else { return }
    let registered = RegisteredValue(kind: kind, value: value)
    let spelling = spelling.flatMap { $0.lowercased() != value.lowercased() && kind.isPlausible($0) ? $0 : nil }
    state.withLock { state in
      var values = state.slots[kind, default: []]
      let isNew = spelling.map { !state.spellings[registered, default: []].contains($0) } ?? false
      if let place = values.firstIndex(of: value) {
        values.remove(at: place)
        // The secrets are the same, so the prepared search stays.
        if !isNew {
          state.slots[kind] = values + [value]
          return
        }
      }
      values.append(value)
      if values.count > Self.capacity(of: kind) { values.removeFirst() }
      state.slots[kind] = values
      if let spelling, isNew {
        state.spellings[registered] = (state.spellings[registered, default: []] + [spelling]).suffix(Self.maximumSpellings)
        state.patterns[registered] = nil
      }
      hasChanged(&state)
    }
  }

  /// Registers a secret that may be too short to search for, such as a name. It is masked if it is a whole value, as a member of
  /// JSON, an item of a query or form, or a segment of a path, and from four characters on as a word of a text.
  package func register(whole value: String, kind: SecretKind) {
    guard !kind.isPlausible(value) else { return register(value, kind: kind) }
    guard value.utf8.count >= (kind.isPersonal ? 2 : SecretSearchPattern.minimumLength), value.utf8.count <= 254 else { return }
    let registered = RegisteredValue(kind: kind, value: value)
    state.withLock { state in
      let isNew = !state.wholes.contains(registered)
      let same = state.wholes.filter { $0.kind == kind && $0 != registered } + [registered]
      state.wholes = state.wholes.filter { $0.kind != kind } + same.suffix(Self.capacity(of: kind))
      if isNew { hasChanged(&state) }
    }
  }

  /// Frees the prepared search, which is many times larger than the values; the next search creates it again.
  package func releasePreparedSearch() {
    state.withLock { state in
      state.prepared = nil
      state.patterns = [:]
    }
  }

  /// Whether no search is prepared.
  package var hasNoPreparedSearch: Bool { state.withLock { $0.prepared == nil && $0.patterns.isEmpty } }

  /// The most values of a kind.
  private static func capacity(of kind: SecretKind) -> Int { kind == .code || kind == .link ? 8 : 16 }

  /// The most spellings of a value.
  private static let maximumSpellings = 4

  private func hasChanged(_ state: inout State) {
    let registered = Set(state.slots.flatMap { kind, values in values.map { RegisteredValue(kind: kind, value: $0) } })
    state.spellings = state.spellings.filter { registered.contains($0.key) }
    state.prepared = nil
    state.generation += 1
  }

  /// Returns the prepared search; prepares it if necessary.
  private func prepared(_ state: inout State) -> Prepared {
    if let prepared = state.prepared { return prepared }
    let known = state.patterns
    state.patterns = [:]
    var values: [String: String] = [:]
    var tagDigits: [String: String] = [:]
    var kinds: [String: SecretKind] = [:]
    for kind in SecretKind.byRank {
      for value in state.slots[kind, default: []] {
        let registered = RegisteredValue(kind: kind, value: value)
        state.patterns[registered] = known[registered] ?? patterns(of: registered, state.spellings[registered, default: []])
        let digits = tagDigits[value] ?? SecretScan.digits(of: value, key: tagKey)
        values[digits] = value
        tagDigits[value] = digits
        if kinds[value] == nil { kinds[value] = kind }
      }
    }
    for whole in state.wholes {
      state.patterns[whole] = known[whole] ?? SecretSearchPattern.words(of: whole.value, kind: whole.kind)
      guard kinds[whole.value] == nil else { continue }
      let digits = SecretScan.digits(of: whole.value, key: tagKey)
      (values[digits], tagDigits[whole.value]) = (whole.value, digits)
    }
    let wholes = Dictionary(state.wholes.map { ($0.value.lowercased(), $0.kind) }) { $0.isPersonal ? $1 : $0 }
    let prepared = Prepared(
      matcher: SecretMatcher(state.patterns.values.flatMap { $0 }), values: values, tagDigits: tagDigits, kinds: kinds,
      wholes: wholes, numbers: SecretNumbers(kinds.map { ($0, $1) } + state.wholes.map { ($0.value, $0.kind) }))
    state.prepared = prepared
    return prepared
  }

  private func patterns(of registered: RegisteredValue, _ spellings: [String]) -> [SecretSearchPattern] {
    ([nil] + spellings).flatMap {
      SecretSearchPattern.all(of: registered.value, kind: registered.kind, forms: rules.forms, spelling: $0)
    }
  }

  /// A matcher for the registered values, except some, and except plain words, which other texts may contain.
  package func matcher(leavingOut values: Set<String>) -> SecretMatcher {
    state.withLock { state in
      let matcher = prepared(&state).matcher
      return values.isEmpty && state.wholes.isEmpty
        ? matcher : SecretMatcher(state.patterns.values.flatMap { $0 }.filter { !$0.isShort && !values.contains($0.value) })
    }
  }

  /// The number of registered secrets.
  package var count: Int { state.withLock { $0.slots.values.reduce(0) { $0 + $1.count } } }

  /// A snapshot of the known secrets.
  package func scan() -> SecretScan {
    state.withLock { state in
      let prepared = prepared(&state)
      return SecretScan(
        matcher: prepared.matcher, kinds: prepared.kinds, wholes: prepared.wholes, numbers: prepared.numbers,
        tagDigits: prepared.tagDigits, tagKey: tagKey, rules: rules,
        generation: state.generation)
    }
  }

  /// Masks every known secret in a text, in any encoding. Codes are masked only in authentication calls and as whole words.
  package func mask(_ text: String, context: MaskContext) -> MaskedText { scan().mask(text, context: context) }

  /// The tag of a value, such as `‹token:3f1c09ab›`; equal values have equal tags within a process.
  package func tag(for value: String, kind: SecretKind) -> String { scan().tag(for: value, kind: kind) }

  /// Whether the bytes contain any known secret, including codes, in any encoding: the last check before data leaves the process.
  package func contains(secretIn bytes: [UInt8]) -> Bool {
    !Self.secrets(in: bytes, matcher(leavingOut: []), stopsAtFirst: true).isEmpty
  }

  /// The known secrets in the bytes: all of them, or the first one found.
  ///
  /// Ignores codes of fewer than 6 digits, because dates and sizes contain such numbers, and digits and characters with separators
  /// between them.
  package static func secrets(in bytes: [UInt8], _ matcher: SecretMatcher, stopsAtFirst: Bool) -> Set<String> {
    var found: Set<String> = []
    _ = DecodedView.contains(in: bytes, forms: .all.subtracting([.groups, .spaced])) { view in
      for span in matcher.spans(in: view, context: .authentication) where span.kind != .code || span.value.utf8.count >= 6 {
        found.insert(span.value)
      }
      return stopsAtFirst && !found.isEmpty
    }
    return found
  }

  /// Replaces every tag in a text with its value, encoded by `encode`; nil if a value is no longer registered. Other text between
  /// `‹` and `›` stays as it is.
  package func refill(_ text: String, encode: (String) -> String = { $0 }) -> String? {
    let values = state.withLock { prepared(&$0).values }
    var output = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "‹") {
      output += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "›") else { break }
      let parts = rest[rest.index(after: open)..<close].split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, Self.isTag(kind: parts[0], digits: parts[1]) else {
        output += "‹"
        rest = rest.dropFirst()
        continue
      }
      guard SecretKind(rawValue: String(parts[0])) != nil, let value = values[String(parts[1])] else { return nil }
      output += encode(value)
      rest = rest[rest.index(after: close)...]
    }
    return output + rest
  }

  /// Whether the two parts look like those of a tag, known or not.
  private static func isTag(kind: Substring, digits: Substring) -> Bool {
    !kind.isEmpty && kind.utf8.allSatisfy(ASCII.isLowercase) && digits.utf8.count == 8
      && digits.utf8.allSatisfy { ASCII.isHexadecimal($0) && !ASCII.isUppercase($0) }
  }
}
