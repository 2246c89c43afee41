@testable import Observability

/// Wherever a document is split, its elements are the same, or the same error is found.
enum JSONElementsFuzzer {
  private struct Outcome: Equatable {
    var parts: [JSONElements.Part] = []
    var error: ImportError?
  }

  static func run(_ bytes: [UInt8]) {
    var first: Outcome?
    for lengths in Splits.all(bytes) {
      let outcome = read(bytes, in: lengths)
      if let first { require(outcome == first, "other elements when split into \(lengths.count) pieces") }
      first = outcome
      for case .element(let element, let line) in outcome.parts {
        require(element.first == UInt8(ascii: "{") && element.last == UInt8(ascii: "}"), "an element is no object")
        require(line >= 1 && line <= bytes.count, "an element has the line \(line)")
      }
    }
  }

  private static func read(_ bytes: [UInt8], in lengths: [Int]) -> Outcome {
    var elements = JSONElements()
    var outcome = Outcome()
    do {
      var start = 0
      for length in lengths {
        try elements.add(bytes[start..<(start + length)]) { outcome.parts.append($0) }
        start += length
      }
      try elements.finish()
    } catch {
      outcome.error = error as? ImportError
      require(outcome.error != nil, "an error of another type")
    }
    return outcome
  }
}
