extension JSONKeyedDecodingContainer {
  /// Reads a member that a property needs; if that fails, notes it and reads what stands in for it.
  func tolerantly<Value>(
    _ key: Key, _ notes: JSONReadNotes, _ read: (JSONNodeDecoder) throws -> Value
  ) throws -> Value {
    let failure: any Error
    if let member = member(key) {
      do { return try read(decoder(member)) } catch { failure = error }
    } else {
      failure = node.missing(key.stringValue, Value.self, hasPath: !notes.isFull)
    }
    guard let standIn = standIn(for: key) else { throw failure }
    notes.add(JSONError(failure, within: node))
    return try read(JSONNodeDecoder(node: standIn, reading: .tolerant(JSONReadNotes())))
  }

  /// Reads a member of an optional property; nil if it is missing, null or unreadable and nothing stands in for it.
  func tolerantlyIfPresent<Value>(
    _ key: Key, _ notes: JSONReadNotes, _ read: (JSONNodeDecoder) throws -> Value
  ) -> Value? {
    let member = member(key)
    if let member, member.kind != .null {
      do { return try read(decoder(member)) } catch { notes.add(JSONError(error, within: node)) }
    }
    guard let standIn = standIn(for: key) else {
      if let member, member.kind == .null { notes.add(member.mismatch(JSONPhrase.expected(Value.self))) }
      return nil
    }
    if member == nil || member?.kind == .null { notes.add(node.missing(key.stringValue, Value.self)) }
    return try? read(JSONNodeDecoder(node: standIn, reading: .tolerant(JSONReadNotes())))
  }

  /// Whether a text that stands in for the member is part of the type and not of the document.
  func hasOwnDefault(_ key: Key) -> Bool {
    if case .json = (key as? any JSONDefaultingKey)?.fallback { true } else { false }
  }

  private func standIn(for key: Key) -> JSONNode? {
    switch (key as? any JSONDefaultingKey)?.fallback {
    case .json(let text): try? JSONDocument(parsing: Array(text.utf8)).root
    case .member(let name): node[name] ?? node.member(inCamelCase: name)
    case nil: nil
    }
  }
}

/// A list of which a tolerant decoding reads the elements that it can.
protocol JSONReadableList {
  /// The readable elements; the others are noted. Throws the error of the first if none is readable.
  static func readable(in decoder: JSONNodeDecoder, _ notes: JSONReadNotes) throws -> Any
}

extension Array: JSONReadableList where Element: Decodable {
  static func readable(in decoder: JSONNodeDecoder, _ notes: JSONReadNotes) throws -> Any {
    var readable: [Element] = []
    var first: (any Error)?
    for element in decoder.node.elements {
      do {
        readable.append(try JSONNodeDecoder(node: element, reading: decoder.reading).value(Element.self))
      } catch {
        notes.add(JSONError(error, within: element))
        first = first ?? error
      }
    }
    if let first, readable.isEmpty { throw first }
    return readable
  }
}

extension JSONNode {
  /// The value of the member whose key is the name in camelCase: `userId` or `userID` for `user_id`.
  func member(inCamelCase name: String) -> JSONNode? {
    guard kind == .object, name.utf8.contains(UInt8(ascii: "_")) else { return nil }
    var name = name
    return name.withUTF8 { name in
      var key = index + 1
      for _ in 0..<count {
        let value = tape.entries[key].next
        if JSONNode(tape: tape, index: key).isCamelCase(of: name) { return JSONNode(tape: tape, index: value) }
        key = tape.entries[value].next
      }
      return nil
    }
  }

  /// Whether a key is the name in snake_case without underscores, with a capital at the start of each later word; the rest of a
  /// word may be in capitals.
  private func isCamelCase(of name: UnsafeBufferPointer<UInt8>) -> Bool {
    let (start, end) = (span.lowerBound + 1, span.upperBound - 1)
    return tape.bytes.withUnsafeBufferPointer { bytes in
      var position = start
      var (beginsWord, isCapital) = (false, false)
      for byte in name {
        if byte == UInt8(ascii: "_") {
          beginsWord = true
          continue
        }
        guard position < end else { return false }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        let capital = isLetter ? byte & ~0x20 : byte
        if beginsWord { isCapital = bytes[position] == capital }
        guard bytes[position] == capital && (beginsWord || isCapital) || bytes[position] == byte && !(beginsWord && isLetter)
        else {
          return false
        }
        beginsWord = false
        position += 1
      }
      return position == end
    }
  }
}
