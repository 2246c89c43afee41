/// A row of the table: the measured operation, the goal and the result.
struct Figure {
  let work: String
  let goal: String
  let measured: String
  /// Whether the goal is met.
  let isMet: Bool

  /// Prints the rows in columns, with a mark before each that misses its goal.
  static func print(_ figures: [Figure]) {
    let columns = figures.map { [$0.isMet ? " " : "!", $0.work, $0.measured, $0.goal] }
    let heads = ["", "work", "measured", "goal"]
    let widths = (0..<heads.count).map { column in ([heads] + columns).map { $0[column].count }.max() ?? 0 }
    for row in [heads] + columns {
      let cells = zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
      Swift.print(cells.joined(separator: "  "))
    }
  }

  /// A number with the given number of decimal places.
  static func number(_ value: Double, places: Int = 1) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return places == 0 ? "\(Int(rounded))" : "\(rounded)"
  }
}
