/// Waits, without a clock, until the task is cancelled: what a handler does that never answers.
package func untilCancelled() async {
  let (silence, _keptOpen) = AsyncStream<Never>.makeStream()
  for await _ in silence {}
  withExtendedLifetime(_keptOpen) {}
}
