// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with; `package` between targets, `public` nowhere.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// For modules that read every byte of every call: without optimization, a search for secrets takes ten times as long, which the
/// tests and the first `make run` would spend many times over.
let optimized = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

/// A library target with its tests, so that none is added without them; every one may use the lock and the text codecs.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], swiftSettings: [SwiftSetting] = settings,
  tests: [Target.Dependency] = [], testLinker: [LinkerSetting]? = nil
) -> [Target] {
  [
    .target(name: name, dependencies: ["Locking", "Text"] + dependencies, swiftSettings: swiftSettings),
    .testTarget(
      name: "\(name)Tests", dependencies: [.target(name: name), "Locking", "Support", "Text"] + dependencies + tests,
      swiftSettings: settings,
      linkerSettings: testLinker),
  ]
}

let systemLibraries: [Target] = [
  .systemLibrary(name: "CLinux"),
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
  .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
]

let locking: [Target] = [
  .target(name: "Locking", swiftSettings: settings),
  .testTarget(name: "LockingTests", dependencies: ["Locking", "Support"], swiftSettings: settings),
]

let text: [Target] = [
  .target(name: "Text", swiftSettings: optimized),
  .testTarget(name: "TextTests", dependencies: ["Text"], swiftSettings: settings),
]

let foundations: [Target] =
  locking + text
  + module("Compression", ["CZlib"])
  + module("Wire", ["Compression", httpTypes])
  + module("Reactor", ["CLinux", "COpenSSL"], tests: ["Vault"])
  + module("Vault", ["COpenSSL"])
  + module("JSON", swiftSettings: optimized)
  + module("YAML", [yams], swiftSettings: optimized)
  + module("OpenAPI", ["JSON", "YAML", "CPCRE2", httpTypes])
  + module("Domain")
  + module("Storage", ["Vault", grdb, log])
  + module("Redaction", ["Vault", "JSON", "Compression", httpTypes], swiftSettings: optimized)
  + module("Explain", ["JSON"], swiftSettings: optimized)
  + module("Observability", ["Explain", "Redaction", "Vault", "JSON", "Compression", httpTypes, collections])

let services: [Target] =
  module("Server", ["Wire", "Reactor", "CLinux", httpTypes, log], tests: ["COpenSSL", "Vault"])
  + module("RPC", ["JSON", httpTypes])
  + module("BackendFile", ["Domain", "Explain", "RPC", "Redaction", "JSON", "YAML", httpTypes])
  + module(
    "Client",
    [
      "BackendFile", "Domain", "RPC", "Observability", "Redaction", "Storage", "Vault", "JSON", "CCurl", "COpenSSL", httpTypes,
      log,
    ],
    tests: ["Server", "Wire", "Reactor"],
    // A test stands in for a name server that never answers: libcurl must find the test's function before the C library's.
    testLinker: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])])

let applications: [Target] =
  module("Team", ["Domain", "Storage", "Vault", log], tests: ["Console", httpTypes])
  + module(
    "Backend", ["OpenAPI", "RPC", "Server", "Storage", "Wire", "Reactor", "Vault", "JSON", httpTypes, log],
    tests: ["COpenSSL", grdb])
  + module(
    "Console",
    [
      "Domain", "Explain", "Observability", "Redaction", "Client", "OpenAPI", "RPC", "Server", "Storage", "Team", "Wire",
      "Reactor",
      "Vault", "JSON", httpTypes, log,
    ], tests: ["BackendFile", grdb])

let everything: [Target.Dependency] = [
  "Backend", "BackendFile", "Client", "Console", "Domain", "Explain", "JSON", "Observability", "Redaction", "OpenAPI", "RPC",
  "Reactor", "Server", "Storage", "Team", "Vault", "Wire",
  "CLinux",
  "COpenSSL", log, httpTypes,
  .product(name: "ArgumentParser", package: "swift-argument-parser"),
]

let executables: [Target] =
  module("Composition", everything, tests: [grdb])
  + [
    .executableTarget(
      name: "understudy",
      dependencies: ["Composition", "CLinux", "Reactor", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
    // Not shipped: the server over a folder, for conformance tests, fuzz harness, benchmarks and outside suites.
    .executableTarget(
      name: "probe",
      dependencies: [
        "Server", "Wire", "Reactor", "JSON", "Locking", httpTypes, log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    // Not shipped: measures in one process.
    .executableTarget(
      name: "bench",
      dependencies: [
        "CLinux", "Client", "Console", "Domain", "Explain", "JSON", "Locking", "Observability", "Redaction", "OpenAPI", "RPC",
        "Reactor", "Storage", "Text", "Vault",
        "Wire", httpTypes, log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .testTarget(
      name: "JourneyTests", dependencies: ["Support", "JSON", "Locking", "Vault", "COpenSSL", grdb, "understudy"],
      swiftSettings: settings),
  ]

/// Tests are left out where only the program is built and `Tests` is not there, as in the image.
let hasTests = Context.environment["UNDERSTUDY_TESTS"] != "no"
let shipped = systemLibraries + foundations + services + applications + executables
let support = Target.target(
  name: "Support", dependencies: ["Domain", "JSON", "Locking", "Redaction", "Storage", httpTypes, log], path: "Tests/Support",
  swiftSettings: settings)

let package = Package(
  name: "understudy",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
  ],
  targets: hasTests ? shipped + [support] : shipped.filter { $0.type != .test }
)
