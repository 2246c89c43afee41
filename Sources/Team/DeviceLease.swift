package import Storage

/// A console's exclusive claim on a device; a later lease of the device has a greater epoch.
package struct DeviceLease: Hashable, Sendable {
  package let deviceID: String
  package let consoleID: String
  /// Grows with each lease of the device.
  package let epoch: Int64

  /// Admits writes as long as no later lease was given, and keeps one from being given until their transaction ends.
  package var fence: WriteFence {
    WriteFence(
      "SELECT epoch FROM device_lease WHERE device_id = ? AND console_id = ? AND epoch = ? FOR SHARE", deviceID, consoleID, epoch)
  }
}
