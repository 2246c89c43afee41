import Glibc
import Locking

/// A name whose lookup blocks until a test releases it, like a name server that never answers.
enum HangingResolver {
  /// The name.
  static let name = "hanging.test"
  private static let opened = ThreadGate()
  private static let asked = AsyncStream.makeStream(of: Void.self)

  /// Waits until somebody looks the name up.
  static func waitUntilAsked() async { for await _ in asked.stream { return } }

  /// Lets every lookup fail.
  static func open() { opened.open() }

  /// Called by the resolver's thread.
  fileprivate static func hang() {
    asked.continuation.yield()
    opened.wait()
  }

  fileprivate typealias Lookup =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
      UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
    ) -> Int32

  /// The C library's function; `RTLD_NEXT` is a macro that Swift does not import.
  fileprivate static let real: Lookup? = {
    dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo").map { unsafeBitCast($0, to: Lookup.self) }
  }()
}

/// Replaces the C library's function of that name in the test process, including libcurl's threads.
@_cdecl("getaddrinfo")
func lookUp(
  _ node: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
  if let node, String(cString: node) == HangingResolver.name {
    HangingResolver.hang()
    return EAI_AGAIN
  }
  return HangingResolver.real?(node, service, hints, result) ?? EAI_FAIL
}
