/// How much is kept for each device. The oldest goes first, pinned rows last.
package struct EvidenceLimits: Hashable, Sendable {
  package var rows = 1_000_000
  package var bytes = 256 << 20
  /// How long, in days.
  package var days = 30
  package init() {}
}
