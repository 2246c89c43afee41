import Foundation

/// Runs code that blocks on a thread of its own, so that it takes none from Swift's pool, which has one a core.
package enum OwnThread {
  /// Runs the body and returns what it returns or throws.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }
}
