/// Checks that each reference of a file names a value that is known at its place.
struct ReferenceCheck {
  private let definition: BackendDefinition
  /// The names that requests capture, by call.
  private let captures: [CallName: Set<String>]

  init(_ definition: BackendDefinition) {
    self.definition = definition
    captures = Dictionary(
      definition.calls.map { ($0.name, Set($0.requests.flatMap(\.captures).map(\.name))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Other programs' names for the values of a sign-in.
  private static let synonyms = [
    "email": "identifier", "phone": "identifier", "username": "identifier", "user": "identifier", "login": "identifier",
    "otp": "code", "pin": "code", "passcode": "code", "secret": "password", "access": "access_token", "refresh": "refresh_token",
  ]

  func run() throws(ReadingError) {
    for template in (definition.headers + definition.auth).map(\.value) {
      try check(template, arguments: [], earlier: captured(outside: nil), later: [], in: nil)
    }
    for call in definition.calls {
      var earlier = captured(outside: call.name)
      var own: Set<String> = []
      for (index, request) in call.requests.enumerated() {
        let later = Set(call.requests[index...].flatMap(\.captures).map(\.name))
        let templates = request.templates + definition.sharedHeaders(of: request).map(\.value)
        try checkTokens(templates, of: request, in: call.name, captured: own)
        for template in templates {
          try check(template, arguments: call.name.arguments, earlier: earlier, later: later, in: call.name)
        }
        earlier.formUnion(request.captures.map(\.name))
        own.formUnion(request.captures.map(\.name))
      }
    }
    try checkUnusedCaptures()
  }

  private func captured(outside call: CallName?) -> Set<String> {
    captures.filter { $0.key != call }.values.reduce(into: []) { $0.formUnion($1) }
  }

  private func check(
    _ template: Template, arguments: [String], earlier: Set<String>, later: Set<String>, in call: CallName?
  ) throws(ReadingError) {
    // Before it signs in, a device has no account.
    let account = call?.isSignIn == true ? [] : FlowValue.account
    func isKnown(_ name: String) -> Bool {
      FlowValue(rawValue: name) != nil || account.contains(name) || arguments.contains(name) || earlier.contains(name)
    }
    for name in template.values {
      if FlowValue.isMomentary(name), call?.isSignIn != true, !earlier.contains(name) {
        throw ReadingError(template.place, "{\(name)} is known only while the user signs in")
      }
      if isKnown(name) || name.hasPrefix(FlowValue.linkPrefix) { continue }
      if later.contains(name) { throw ReadingError(template.place, "{\(name)} is captured by a later request") }
      if Self.synonyms[name] == nil, FlowValue.account.contains(name) {
        throw ReadingError(template.place, "{\(name)} is known only after the sign-in")
      }
      let known = Set(FlowValue.allCases.map(\.rawValue) + account + arguments).union(earlier)
      let hint = Self.synonyms[name].map { " (did you mean \($0)?)" } ?? NearestWord.hint(name, among: known.sorted())
      throw ReadingError(template.place, "{\(name)} is captured by no call" + hint)
    }
    for name in template.secrets where isKnown(name) {
      throw ReadingError(template.place, "${\(name)} is a secret of your own: write {\(name)} for the value of the flow")
    }
  }

  /// A sign-in has no tokens before a request captures them.
  private func checkTokens(
    _ templates: [Template], of request: RequestTemplate, in call: CallName, captured: Set<String>
  ) throws(ReadingError) {
    guard call.isSignIn else { return }
    for template in templates {
      for token in [FlowValue.accessToken, .refreshToken].map(\.rawValue)
      where template.values.contains(token) && !captured.contains(token) {
        throw ReadingError(
          template.place.path.isEmpty ? request.place : template.place, "{\(token)} is known only after the sign-in")
      }
    }
  }

  /// An unused capture is probably a misspelled name of the contract.
  private func checkUnusedCaptures() throws(ReadingError) {
    let used = definition.usedValues
    for capture in definition.calls.flatMap(\.requests).flatMap(\.captures)
    where !used.contains(capture.name) && !AnswerField.names.contains(capture.name) {
      guard let meant = NearestWord.of(capture.name, among: AnswerField.names.sorted()) else { continue }
      throw ReadingError(capture.place, "no request uses it (did you mean \(meant)?)")
    }
  }
}
