import Domain

extension BackendDefinition {
  /// The file's content, for people: one line each for calls, hosts, sign-in, secrets and hidden parts. Ends with a line break.
  package var summary: String {
    let hosts = hosts.map(\.origin.authority)
    let signIn = signIn.map { call, fields in
      "\(call.rawValue) (\(fields.isEmpty ? "nothing" : Self.list(fields.map(\.rawValue))))"
    }
    let secrets = secrets.map { "UNDERSTUDY_SECRET_\($0)" }
    let lines = [
      ("calls", Self.list(calls.map(\.name.rawValue))),
      ("hosts", Self.list(["the backend's"] + hosts)),
      ("sign-in asks", Self.list(signIn)),
      ("secrets", Self.list(secrets)),
      ("hidden", Self.list(hidden.map(\.words) + (pastesLink ? ["requests for a link (users paste one)"] : []))),
    ]
    return lines.map { name, text in "\(name):\(String(repeating: " ", count: 14 - name.count))\(text)\n" }.joined()
  }

  private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }
}
