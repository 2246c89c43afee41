// swift-tools-version: 6.2
import PackageDescription

// The servers for comparison; a separate package, because the product must not depend on NIO.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/swhitty/FlyingFox.git", exact: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "hummingbird-peer",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log")]),
    .executableTarget(name: "flyingfox-peer", dependencies: [.product(name: "FlyingFox", package: "FlyingFox")]),
  ]
)
