extension String {
  /// The words of a name in lower case, split at capitals and at other characters than ASCII letters and digits.
  package var wordsOfName: [String] {
    var words: [String] = [""]
    var wasLower = false
    for byte in utf8 {
      guard ASCII.isAlphanumeric(byte) else {
        words.append("")
        wasLower = false
        continue
      }
      if ASCII.isUppercase(byte), wasLower { words.append("") }
      wasLower = !ASCII.isUppercase(byte)
      words[words.count - 1].append(Character(Unicode.Scalar(ASCII.lowercased(byte))))
    }
    return words.filter { !$0.isEmpty }
  }
}
