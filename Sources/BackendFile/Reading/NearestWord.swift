/// Suggests the intended word for a misspelled one.
enum NearestWord {
  /// The nearest of the words; nil if more than a third of the letters differ, and none begins with it.
  static func of(_ text: String, among words: some Sequence<String>) -> String? {
    let limit = max(1, min(text.count / 3, 3))
    let near = words.map { (word: $0, distance: distance(text.lowercased(), $0.lowercased())) }.filter { $0.distance <= limit }
    let nearest = near.min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    // A word may be cut.
    return nearest ?? (text.count >= 4 ? words.first { $0.hasPrefix(text) } : nil)
  }

  /// ` (did you mean WORD?)`, or nothing.
  static func hint(_ text: String, among words: some Sequence<String>) -> String {
    of(text, among: words).map { " (did you mean \($0)?)" } ?? ""
  }

  /// How many letters must be added, removed, changed or swapped with the next; long texts are far apart.
  private static func distance(_ first: String, _ second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
    guard first.count <= 64, second.count <= 64 else { return .max }
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, other) in second.enumerated() {
        var least = min(rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
