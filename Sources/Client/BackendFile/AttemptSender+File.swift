import BackendFile
import Domain
import FoundationEssentials
import HTTPTypes
import Redaction

extension AttemptSender {
  /// Sends the requests of a call as the backend file describes it, one after the other, and stops at the first failure.
  ///
  /// Also throws if the file lacks the call, or if a request cannot be rendered.
  func perform(
    _ call: inout Call, by content: ActiveBackendFile.Content, token: String?, parent: String?
  ) async throws(AttemptFailure) -> AttemptResponse {
    guard let name = CallName(rawValue: call.endpoint), let described = content.definition.call(name) else {
      throw AttemptFailure(.forbidden(code: BackendFeature.disabledCode))
    }
    call.isSafe = described.requests.allSatisfy(\.isSafe)
    call.sendsKey = described.requests.allSatisfy { $0.isSafe || content.definition.uses(.idempotencyKey, in: $0) }
    let own = call.templateValues(deviceID: configuration.deviceID)
    learn(content, of: call)
    // After a restart, the user has not typed it in this process.
    if let name = own[FlowValue.identifier.rawValue] { secrets.register(whole: name, kind: .identifier) }
    let earlier =
      name.isSignIn ? await signIn.values(for: own[FlowValue.identifier.rawValue], at: time.wall(), hosts: content.hosts) : [:]
    var exchange: FileExchange? = FileExchange(
      content: content, call: described, values: earlier.merging(own) { $1 }, earlier: earlier)
    defer { call.wire = nil }
    var parent = parent
    repeat {
      try await prepare(&call, exchange, parent: parent)
      var answer = try await attempt(&call, token: token, parent: parent, exchange: &exchange)
      if CacheControl(answer.response.headers[.cacheControl]).noStore { call.forbidsStoring = true }
      if answer.rejectsSignature, call.wire?.origin == nil {
        guard signer != nil, !call.hasCorrectedClock,
          clock.correct(byDate: answer.response.headers[.date], skew: answer.skewSeconds)
        else { throw AttemptFailure(.signatureRejected) }
        call.hasCorrectedClock = true
        answer = try await attempt(&call, token: token, parent: answer.row, exchange: &exchange)
        if answer.rejectsSignature { throw AttemptFailure(.signatureRejected) }
      }
      guard case .continued? = answer.reading?.outcome else {
        if case .answered? = answer.reading?.outcome, answer.mismatch == nil, let exchange {
          answer.session = await session(after: exchange, name)
        }
        return answer
      }
      parent = answer.row
    } while exchange?.next() == true
    throw AttemptFailure(.unexpectedPayload(.emptyBody))
  }

  /// The template of the last request of a call that the backend file describes.
  func lastRequest(of call: Call) -> RequestTemplate? {
    CallName(rawValue: call.endpoint).flatMap { configuration.backendFile?.content.definition.call($0) }?.requests.last
  }

  /// Fills the next request's template; a request that cannot be rendered becomes a row with the reason.
  private func prepare(_ call: inout Call, _ exchange: FileExchange?, parent: String?) async throws(AttemptFailure) {
    guard let exchange else { return }
    do throws(RenderingError) {
      let rendered = try exchange.render()
      for secret in rendered.secrets { secrets.register(whole: secret.value, kind: secret.kind) }
      call.wire = WireRequest(rendered)
    } catch {
      let isOver = exchange.isOfUnfinishedSignIn(error)
      let words = isOver ? "\(error.text): the sign-in has not begun or is over, ask for a new code or link" : error.text
      let mismatch = PayloadMismatch(words: exchange.sentence(words, at: error.place))
      call.wire = WireRequest(unrendered: exchange.unrendered)
      if exchange.isFirst { call.attempts += 1 }
      let request = request(for: call, token: nil)
      let row = recorder.begin(call, request: request, parent: parent, at: time.wall())
      recorder.finishUnsent(row, call, request: request, error: .unexpectedPayload(mismatch), detail: mismatch.description)
      // The code belongs to a sign-in that this device does not have, so it counts as a wrong code.
      throw AttemptFailure(isOver ? .rejected(status: 400, code: nil) : .unexpectedPayload(mismatch))
    }
  }

  /// Reads a response by the file, and registers its captured secrets before a row shows it.
  func read(_ answer: inout AttemptResponse, by exchange: inout FileExchange?, reader: ResponseReader?) {
    guard let reading = exchange?.read(answer) else { return }
    for value in reading.cookies { secrets.register(value, kind: .token) }
    loggers.fields.record(missing: reading.captured.missing.map(\.path), endpoint: reading.call.rawValue)
    for secret in reading.secrets { secrets.register(whole: secret.value, kind: secret.kind) }
    answer.take(reading, reader: reader)
  }

  /// The captured session of a complete sign-in; until then, the captured values are kept for the next call.
  private func session(after exchange: FileExchange, _ name: CallName) async -> CapturedSession? {
    switch name.role {
    case .request:
      await signIn.begin(
        exchange.session, until: time.wall().addingTimeInterval(exchange.validity), used: exchange.content.usedValues,
        hosts: exchange.content.hosts)
    case .login:
      await signIn.clear()
      return exchange.session
    case .refresh, .signedIn, .open: break
    }
    return nil
  }
}

extension AttemptSender {
  /// Registers the secrets at the places that the file captures, from the response to a request that a person sends again.
  func learn(from answer: AttemptResponse, to call: Call) {
    guard let template = call.described?.template, let content = configuration.backendFile?.content else { return }
    let received = ReceivedAnswer(
      status: answer.response.status, headers: answer.response.headers, document: answer.document)
    for value in received.cookieValues { secrets.register(value, kind: .token) }
    for secret in content.definition.secrets(in: received, to: template) {
      secrets.register(whole: secret.value, kind: secret.kind)
    }
  }

  /// Registers the secrets of the session and the file, even if the request does not need them.
  private func learn(_ content: ActiveBackendFile.Content, of call: Call) {
    for (name, value) in call.sessionValues {
      if let kind = FlowValue.secretKind(name) { secrets.register(whole: value, kind: kind) }
    }
    for value in content.secrets.values { secrets.register(whole: value, kind: .key) }
  }

  /// Adds the file's header fields to a request that a person wrote or sends again: those of its template, or else the common
  /// ones. A template that needs no value of the row is filled completely.
  ///
  /// Throws if a value is missing, because the backend would reject the request without it.
  func addFields(
    of content: ActiveBackendFile.Content, to call: inout Call, token: String?
  ) throws(AttemptFailure) {
    learn(content, of: call)
    var values = call.sessionValues
    values[FlowValue.accessToken.rawValue] = token
    values[FlowValue.deviceID.rawValue] = configuration.deviceID
    values[FlowValue.requestID.rawValue] = call.id
    // A person's request is a new one, even if the app's own request has a key.
    values[FlowValue.idempotencyKey.rawValue] = call.idempotencyKey ?? call.id
    var fields: HTTPFields
    do throws(RenderingError) {
      let given = TemplateValues(values: values, secrets: content.secrets)
      if let described = call.described, described.isWhole {
        let rendered = try content.definition.render(described.template, with: given)
        for secret in rendered.secrets { secrets.register(whole: secret.value, kind: secret.kind) }
        call.wire = WireRequest(rendered)
        call.sendsKey = content.definition.uses(.idempotencyKey, in: described.template)
        return
      }
      let shared =
        if let described = call.described {
          try content.definition.fields(of: described.template, with: given)
        } else {
          try content.definition.sharedFields(isAuthorized: token != nil, with: given)
        }
      for secret in shared.secrets { secrets.register(whole: secret.value, kind: secret.kind) }
      fields = shared.fields
    } catch {
      let text = BackendFileError(file: content.definition.file, place: error.place, message: error.text).text
      throw AttemptFailure(.unexpectedPayload(PayloadMismatch(words: text)))
    }
    call.sendsKey = content.definition.headers.contains { $0.value.values.contains(FlowValue.idempotencyKey.rawValue) }
    if call.body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    for name in Set(call.extraFields.map(\.name)) { fields[name] = nil }
    fields.append(contentsOf: call.extraFields)
    call.fields = fields
  }
}

extension SessionTokens {
  /// The session's values for the templates of a backend file, by name.
  var templateValues: [String: String] {
    var values = captured?.values ?? [:]
    values[FlowValue.accessToken.rawValue] = accessToken
    values[FlowValue.refreshToken.rawValue] = refreshToken
    return values
  }
}
