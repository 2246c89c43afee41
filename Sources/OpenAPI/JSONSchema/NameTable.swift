/// Names that are looked up by their UTF-8, sorted by length and then by bytes; a lookup takes logarithmic time whatever the names.
struct NameTable: Sendable {
  private var bytes: [UInt8] = []
  private var starts: [Int32] = [0]

  /// Creates a table of different names, which are returned in the order of their indices.
  static func make(_ names: some Sequence<String>) -> (table: NameTable, names: [String]) {
    let sorted = names.map { (name: $0, utf8: Array($0.utf8)) }.sorted {
      $0.utf8.count == $1.utf8.count ? $0.utf8.lexicographicallyPrecedes($1.utf8) : $0.utf8.count < $1.utf8.count
    }
    var table = NameTable()
    for (_, utf8) in sorted {
      table.bytes += utf8
      table.starts.append(Int32(clamping: table.bytes.count))
    }
    return (table, sorted.map(\.name))
  }

  var count: Int { starts.count - 1 }

  /// The index of a name; nil if the table does not have it.
  func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      starts.withUnsafeBufferPointer { starts in
        var low = 0
        var high = starts.count - 1
        while low < high {
          let middle = (low + high) / 2
          let start = Int(starts[middle])
          let length = Int(starts[middle + 1]) - start
          var isBefore = length < name.count
          if length == name.count {
            var place = 0
            while place < length, bytes[start + place] == name[place] { place += 1 }
            if place == length { return middle }
            isBefore = bytes[start + place] < name[place]
          }
          if isBefore { low = middle + 1 } else { high = middle }
        }
        return nil
      }
    }
  }
}
