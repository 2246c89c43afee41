import Domain
import FoundationEssentials
import JSON
import Locking
import Observability
import OpenAPI
import RPC

/// The JSON of `GET /api/state` and of the `session` event, which has neither `config` nor identifiers.
struct StateBody: Codable, Hashable {
  /// The session's state.
  struct Session: Codable, Hashable {
    let state: String
    let since: Timestamp
    let reason: String?
    let tokensIssuedAt: Timestamp?
    let accessExpiresAt: Timestamp?
    let refreshExpiresAt: Timestamp?
    let user: User?
    /// The row of the call that ended the session.
    let rowID: String?
    /// The fault rule that ended the session in the backend's place.
    let fault: Fault?
  }

  /// A fault rule by its name, and its preset for its name in other languages.
  struct Fault: Codable, Hashable {
    let name: String
    let preset: String?
  }

  /// A cooldown that is still running.
  struct Cooldown: Codable, Hashable {
    let identifierTag: String
    let retryAt: Timestamp
  }

  /// Which backend the device talks to.
  struct Backend: Codable, Hashable {
    let url: String
    let embedded: Bool
    let id: String
    /// How far the embedded backend's clock is ahead of the machine's; 0 for any other backend.
    let clockAheadSeconds: Int
    /// The backend's reachability at the device's last call.
    let lastCall: LastCall
    /// Why the current state of its file is invalid, if an earlier state is in use.
    let fileProblem: String?
  }

  /// The configuration, and the user actions that the backend offers.
  struct Config: Codable, Hashable {
    /// A call of the sign-in and the fields that it asks for, in order.
    struct SignInCall: Codable, Hashable {
      let call: String
      let fields: [String]
    }

    let defaultLanguageCode: String
    let supportedLanguages: [AppConfigBody.Language]
    let features: AppConfigBody.Features
    let auth: AppConfigBody.Auth
    let networkLog: AppConfigBody.NetworkLog
    let session: AppConfigBody.Session
    let signIn: [SignInCall]
    /// The parts of the pages that the backend has no calls for.
    let hidden: [String]
    /// True if a backend file describes the backend; missing otherwise.
    let byFile: Bool?

    init(_ config: AppConfig) {
      let body = AppConfigBody(config)
      defaultLanguageCode = body.defaultLanguageCode
      supportedLanguages = body.supportedLanguages
      features = body.features
      auth = body.auth
      networkLog = body.networkLog
      session = body.session
      signIn = config.offer.signIn.map { SignInCall(call: $0.name, fields: $0.fields) }
      hidden = config.offer.hidden.map(\.rawValue).sorted()
      byFile = config.offer.isOfFile ? true : nil
    }
  }

  /// The device's fault rules.
  struct Faults: Codable, Hashable {
    let armed: Int
  }

  /// A deletion that was requested, without a response.
  struct Deletion: Codable, Hashable {
    let outcome: String
    let askedAt: Timestamp
  }

  let deviceID: String
  let name: String
  let version: String
  let session: Session
  let config: Config?
  let cooldowns: [Cooldown]
  let backend: Backend
  let faults: Faults
  /// True on a console that identifies its callers; missing on others.
  let persons: Bool?
  /// How many edits of cues have not reached the backend; signing out discards them.
  let unsentCueEdits: Int
  /// Whether developer tools are available; nil unless a user is known to be signed in.
  let developer: DeveloperBody?
  /// A deletion whose outcome is unknown until the account is loaded again.
  let deletion: Deletion?
  /// The paths of the calls that cannot be sent again; not in events.
  let neverSentAgain: [String]?
  /// How an earlier console ended, for the console's owner, until `DELETE /api/ended-by-fault`.
  var endedByFault: EarlierFault.Body?
}

/// The state that was encoded last: most calls ask for one that has not changed.
final class EncodedState: Sendable {
  private let last = Locked<(state: StateBody, bytes: [UInt8])?>(nil)
  private let lastConfig = Locked<(config: AppConfig, body: StateBody.Config)?>(nil)

  /// The configuration's part of the state, which is larger than the rest and seldom changes.
  func config(_ config: AppConfig) -> StateBody.Config {
    lastConfig.withLock { last in
      if let last, last.config == config { return last.body }
      let body = StateBody.Config(config)
      last = (config, body)
      return body
    }
  }

  /// The JSON of a state; throws if it cannot be encoded.
  func bytes(of state: StateBody) throws -> [UInt8] {
    if let last = last.withLock({ $0 }), last.state == state { return last.bytes }
    let bytes = try JSONCoding.encode(state, keys: .snakeCase)
    last.withLock { $0 = (state, bytes) }
    return bytes
  }
}

extension StateBody.Session {
  /// `end` is the timeline's entry of the end, nil unless it ended; `showsIdentifiers` is false for the event stream, which carries no identifiers.
  init(_ state: SessionState, end: TimelineEntry?, showsIdentifiers: Bool) {
    self.init(
      state: state.phase.rawValue, since: Timestamp(state.since), reason: state.reason,
      tokensIssuedAt: state.tokensIssuedAt.map { Timestamp($0) },
      accessExpiresAt: state.accessExpiresAt.map { Timestamp($0) },
      refreshExpiresAt: state.refreshExpiresAt.map { Timestamp($0) },
      user: showsIdentifiers ? state.user : state.user?.withoutIdentifiers, rowID: end?.rowID,
      fault: end?.faultName.map { .init(name: $0, preset: end?.preset) })
  }
}

extension StateBody: SchemaProvider {
  static var schema: Schema {
    let phases: [SessionState.Phase] = [.signedOut, .authenticated, .refreshing, .error]
    return .recorded(from: Self.self).refined([
      "device_id": .uuid, "session.state": .oneOf(phases.map(\.rawValue)), "faults.armed": .minimum(0),
      "backend.clock_ahead_seconds": .minimum(0), "backend.last_call": .oneOf(LastCall.allCases.map(\.rawValue)),
      "config.auth.cooldown_seconds": .minimum(0), "config.auth.code_length": .minimum(1),
      "config.network_log.capacity": .minimum(1), "config.session.refresh_margin_seconds": .minimum(0),
      "config.sign_in[].fields[]": .oneOf(["identifier", "password", "code", "link"]),
      "config.hidden[]": .oneOf(BackendFeature.allCases.map(\.rawValue)), "unsent_cue_edits": .minimum(0),
      "deletion.outcome": .constant("unknown"),
    ]).named("State")
  }
}
