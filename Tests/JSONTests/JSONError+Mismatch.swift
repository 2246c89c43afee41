import JSON

extension JSONError {
  /// The mismatch in words, such as `active_profile_id is a number, not a string`; nil for invalid JSON.
  var mismatch: String? {
    guard let found else { return nil }
    let name = path.isEmpty ? "the document" : path
    if reason == .missingMember { return "\(name) is missing" }
    return "\(name) is \(found)" + (expected.map { ", not \($0)" } ?? "")
  }
}
