import Testing

@testable import Composition

@Suite(.timeLimit(.minutes(1))) struct CrashNoteTests {
  /// Traps if `number` is the largest one.
  @inline(never) private static func successor(of number: Int) -> Int { number + 1 }

  @Test func theNoteNamesTheFunctionThatTrapped() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        CrashNote.begin(folder: nil)
        let largest = CommandLine.arguments.isEmpty ? 0 : Int.max
        print(Self.successor(of: largest))
      })
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
    let note = try #require(lines.last { $0.hasPrefix("understudy: ended by SIG") })
    let words = note.split(separator: " ")
    #expect(words.count == 8 && words[6] == "in" && words[7].contains("successor"), "\(note)")
  }
}
