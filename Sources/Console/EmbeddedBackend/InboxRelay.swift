import Domain
import FoundationEssentials
import JSON
import Observability
import Server

/// Tells the devices of the messages that the embedded backend delivers, each only of those that it asked for.
package struct InboxRelay: Sendable {
  private let registry: DeviceRegistry
  private let embedded: EmbeddedBackend

  /// Makes a relay from the backend to the registry's devices.
  package init(registry: DeviceRegistry, embedded: EmbeddedBackend) {
    self.registry = registry
    self.embedded = embedded
  }

  private struct EventBody: Encodable {
    let kind: String
    let deliveredAt: Timestamp
  }

  /// Runs until the task is cancelled or the backend ends.
  package func run() async {
    for await message in embedded.deliveries() {
      for device in await registry.awakeDevices() {
        guard let asked = try? await device.ledger.askedIdentifiers(), asked.contains(message.to) else { continue }
        device.learn(message)
        let body = EventBody(kind: message.kind, deliveredAt: Timestamp(message.deliveredAt))
        if let data = try? JSONCoding.encode(body, keys: .snakeCase) { device.events.publish("inbox", data: data) }
      }
    }
  }
}

extension Device {
  /// Registers what a person signs in with as it was typed, beside its normal form; nothing if it is no identifier.
  func learn(typed raw: String) {
    guard let identifier = try? Identifier(normalizing: raw) else { return }
    secrets.register(identifier.text, kind: identifier.kind == .email ? .email : .phone, spelling: raw)
  }

  /// Registers what a message gives away, before anybody can use it.
  func learn(_ message: EmbeddedBackend.Message) {
    secrets.register(message.to, kind: .identifier)
    if let code = message.code { secrets.register(code, kind: .code) }
    if let link = message.link {
      secrets.register(link, kind: .link)
      if let parsed = try? linkParser.parse(link) { secrets.register(parsed.token, kind: .link) }
    }
  }
}
