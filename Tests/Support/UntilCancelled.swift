/// Waits, without a clock, until the task is canceled, like a handler that never responds.
package func untilCancelled() async {
  let (silence, _keptOpen) = AsyncStream<Never>.makeStream()
  for await _ in silence {}
  withExtendedLifetime(_keptOpen) {}
}
