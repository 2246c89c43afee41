/// Whose evidence it is: that of a device with one backend.
package struct EvidenceOwner: Hashable, Sendable {
  package let deviceID: String
  package let backendID: String
  /// Says that the device is awake on this console; nil if there is no other console.
  let lease: DeviceLease?

  package init(deviceID: String, backendID: String, lease: DeviceLease? = nil) {
    self.deviceID = deviceID
    self.backendID = backendID
    self.lease = lease
  }
}
