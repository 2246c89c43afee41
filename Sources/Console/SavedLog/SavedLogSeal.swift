import Observability
package import Storage
import Vault

/// Seals the records of one device. The associated data binds device, backend, kind and place, so that bytes copied elsewhere do
/// not open.
struct SavedLogSeal: Sendable {
  let key: SealingKey
  let device: SavedLogOwner

  /// The kind of a sealed document.
  enum Kind: String {
    case row, rest, text, timeline, faults, about
  }

  /// Seals a document; `seq` is its place.
  func seal(_ document: [UInt8], _ kind: Kind, _ seq: RowSequence = 0) -> [UInt8] {
    key.seal(document, associatedData: associatedData(kind, seq))
  }

  /// Opens a document; nil if it was sealed with another key, for another place, or is damaged.
  func open(_ sealed: [UInt8], _ kind: Kind, _ seq: RowSequence = 0) -> [UInt8]? {
    try? key.open(sealed, associatedData: associatedData(kind, seq))
  }

  /// The attempt of two sealed documents; nil if they do not open.
  func attempt(row: [UInt8], rest: [UInt8], _ seq: RowSequence) -> NetworkRowDetail? {
    guard let row = open(row, .row, seq), let rest = open(rest, .rest, seq) else { return nil }
    return try? StoredAttempt.attempt(row: row, rest: rest)
  }

  private func associatedData(_ kind: Kind, _ seq: RowSequence) -> [UInt8] {
    Array("\(kind.rawValue)\0\(device.deviceID)\0\(device.backendID)\0\(seq)".utf8)
  }
}

/// The owner of a saved log: a device with one backend.
package struct SavedLogOwner: Hashable, Sendable {
  package let deviceID: String
  package let backendID: String
  /// Admits writes while the device is awake on this console; nil if there is no other console.
  let fence: WriteFence?

  package init(deviceID: String, backendID: String, fence: WriteFence? = nil) {
    self.deviceID = deviceID
    self.backendID = backendID
    self.fence = fence
  }
}
