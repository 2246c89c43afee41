import Backend
import Client
import Console
import Domain
import FoundationEssentials
import Logging

/// A backend under check: how to reach it, control it and stop it.
struct CheckTarget: Sendable {
  /// How devices address it.
  let link: BackendLink
  /// The network of all devices.
  let network: CheckNetwork
  /// How the clients connect that some checks create.
  let configuration: TransportConfiguration
  let signingKey: SigningKey?
  let isEmbedded: Bool
  /// Its inbox and clock, if they are accessible.
  let control: BackendControl?
  /// The command that prints codes if there is no inbox.
  let command: CodeCommand?
  /// The password to sign in with; nil without one.
  var password: String?
  /// The secrets of the settings, which reports mask.
  let secrets: [String]
  private let end: @Sendable () async -> Void

  /// Starts the built-in backend or prepares the connection to the one in the settings; nothing is sent yet. Throws
  /// `StartFailure`.
  static func open(_ settings: CheckSettings, logger: Logger) async throws(StartFailure) -> CheckTarget {
    if let remote = settings.remote { return try reach(remote, settings) }
    return try await embed(settings, logger: logger)
  }

  /// Closes the network, and stops the backend if it was started for the run.
  func close() async {
    await network.shutdown()
    await end()
  }

  private static func reach(
    _ remote: RemoteBackend, _ settings: CheckSettings
  ) throws(StartFailure) -> CheckTarget {
    let configuration = try remote.configuration()
    let network = try network(to: remote.origin.text, configuration)
    var control: BackendControl?
    var command: CodeCommand?
    var secrets = [settings.signingKey?.secret, settings.identifier?.text, settings.password].compactMap { $0 }
    secrets += remote.file.map { Array($0.content.secrets.values) } ?? []
    switch settings.source {
    case .developer(let token):
      control = .developer(DeveloperAPIClient(origin: remote.origin.text, transport: network.transport, token: token))
      secrets.append(token)
    case .command(let text): command = CodeCommand(command: text, limit: settings.timeout * 0.8)
    case nil: break
    }
    return CheckTarget(
      link: remote.link, network: network, configuration: configuration, signingKey: settings.signingKey, isEmbedded: false,
      control: control, command: command, password: settings.password, secrets: secrets, end: {})
  }

  private static func embed(_ settings: CheckSettings, logger: Logger) async throws(StartFailure) -> CheckTarget {
    let key = settings.signingKey ?? .random()
    let backend: ReferenceBackend
    let listener: BackendListener
    do throws(BackendStartError) {
      backend = try await ReferenceBackend(
        configuration: .init(limits: .relaxed, apiID: key.id, apiSecret: key.secret, logger: logger))
      listener = try await BackendListener.start(backend, identity: .ephemeral, logger: logger)
    } catch {
      throw .unavailable("the built-in backend cannot listen on 127.0.0.1")
    }
    backend.setLinkBase(listener.origin)
    let configuration = TransportConfiguration(
      trust: .pem(listener.certificatePEM), pins: Set([SPKIPin(listener.pin)].compactMap { $0 }), proxy: .none)
    return CheckTarget(
      link: BackendLink(origin: listener.origin, id: backend.dataID, linkHosts: settings.connection.linkHost, embedded: nil),
      network: try network(to: listener.origin, configuration), configuration: configuration, signingKey: key,
      isEmbedded: true, control: .embedded(backend), command: nil, secrets: [key.secret],
      end: { await listener.stop(within: .zero) })
  }

  private static func network(to origin: String, _ configuration: TransportConfiguration) throws(StartFailure) -> CheckNetwork {
    do { return try CheckNetwork(origin: origin, configuration: configuration) } catch {
      throw .configuration("the HTTP client cannot start: \(error)")
    }
  }
}

/// A check's control of its backend in addition to calling it: read sent messages and advance the clock.
struct BackendControl: Sendable {
  /// The parts of a sent message that a check needs.
  struct Message: Decodable, Sendable {
    let id: String
    let link: String?
    let code: String?
  }

  /// The messages to an identifier after the one with the id, oldest first; waits at most 10 s for one. Throws `CheckStop`.
  var messages: @Sendable (_ identifier: String, _ after: String?) async throws(CheckStop) -> [Message]
  /// Advances the clock. Throws `CheckStop`.
  var advance: @Sendable (_ seconds: Int) async throws(CheckStop) -> Void

  /// How long to wait for a message, in seconds.
  private static let messageTimeout = 10

  /// Controls the built-in backend.
  static func embedded(_ backend: ReferenceBackend) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        await backend.inbox.messages(to: [identifier], after: after, wait: .seconds(messageTimeout))
          .map { Message(id: $0.id, link: $0.link, code: $0.code) }
      },
      advance: { seconds throws(CheckStop) in
        do throws(BackendStartError) { try await backend.clock.advance(seconds: seconds) } catch {
          throw .failed("the built-in backend's clock cannot be advanced")
        }
      })
  }

  /// Controls `understudy backend` with `--dev-token-file`.
  static func developer(_ client: DeveloperAPIClient) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        try await client.messages(to: identifier, after: after, wait: messageTimeout)
      },
      advance: { seconds throws(CheckStop) in try await client.advance(seconds: seconds) })
  }
}
