/// Checks whether an address is free, without listening there.
package enum PortProbe {
  /// Binds a socket to the address and closes it.
  ///
  /// - Throws: ``ReactorError/addressInUse(_:)``, ``ReactorError/addressUnavailable(_:)``, ``ReactorError/system(call:code:)``.
  package static func check(_ address: SocketAddress) throws(ReactorError) { _ = try ListeningSocket(address, isShared: false) }
}
