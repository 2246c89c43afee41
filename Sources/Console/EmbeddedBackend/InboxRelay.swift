import Client
import Domain
import JSON
import Server
import Redaction

/// Publishes messages that the embedded backend delivers to the devices that requested them.
package struct InboxRelay: Sendable {
  private let registry: DeviceRegistry
  private let embedded: EmbeddedBackend

  package init(registry: DeviceRegistry, embedded: EmbeddedBackend) {
    self.registry = registry
    self.embedded = embedded
  }

  private struct EventBody: Encodable {
    let kind: String
    let deliveredAt: Timestamp
  }

  /// Runs until the task is canceled or the backend ends.
  package func run() async {
    for await message in embedded.deliveries() {
      for device in await registry.awakeDevices() {
        guard let asked = try? await device.signInRequests.askedIdentifiers(), asked.contains(message.to) else { continue }
        device.learn(message)
        let body = EventBody(kind: message.kind, deliveredAt: message.deliveredAt)
        if let data = try? JSONCoding.encode(body, keys: .snakeCase) { device.events.publish("inbox", data: data) }
      }
    }
  }
}

extension Device {
  /// Registers an identifier as a secret, as it was typed and in its normal form; does nothing if the text is not an identifier.
  func learn(typed raw: String) {
    guard let identifier = try? Identifier(typed: raw, for: client.offer) else { return }
    secrets.register(identifier.text, kind: identifier.secretKind, spelling: raw)
    secrets.register(whole: identifier.text, kind: identifier.secretKind)
  }

  /// Registers the secrets of a message before a caller can use them.
  func learn(_ message: EmbeddedBackend.Message) {
    secrets.register(message.to, kind: .identifier)
    if let code = message.code { secrets.register(code, kind: .code) }
    if let link = message.link {
      secrets.register(link, kind: .link)
      if let parsed = try? linkParser.parse(link) { secrets.register(parsed.token, kind: .link) }
    }
  }
}
