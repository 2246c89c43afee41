/// The version of this build.
package enum Version {
  /// Semantic version (semver.org).
  package static let text = "0.1.0"
}
