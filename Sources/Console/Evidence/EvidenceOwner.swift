/// Whose evidence it is: that of a device with one backend.
package struct EvidenceOwner: Hashable, Sendable {
  package let deviceID: String
  package let backendID: String
  package init(deviceID: String, backendID: String) {
    self.deviceID = deviceID
    self.backendID = backendID
  }
}
