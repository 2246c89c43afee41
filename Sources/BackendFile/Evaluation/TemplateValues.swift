/// The values for a request's templates.
package struct TemplateValues: Hashable, Sendable {
  /// Values of the flow and of the call, and captured values of earlier requests, by name; `link.PARAM` for parameters of a link.
  package var values: [String: String]
  /// Secrets of the user by name.
  package var secrets: [String: String]

  package init(values: [String: String] = [:], secrets: [String: String] = [:]) {
    self.values = values
    self.secrets = secrets
  }
}

/// Why a request cannot be rendered from its values. It never quotes a value.
package struct RenderingError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// No value has this name.
    case missing
    /// The user has set no secret of this name.
    case missingSecret
    /// The value has characters that its place cannot carry.
    case unusable(at: String)
  }

  package let reason: Reason
  /// The name of the value, or of the secret.
  package let name: String
  package let place: FilePlace

  /// The error as a sentence, for a message after the place.
  package var text: String {
    switch reason {
    case .missing: "{\(name)} has no value"
    case .missingSecret: "${\(name)} has no value: set UNDERSTUDY_SECRET_\(name)"
    case .unusable(let place): "{\(name)} cannot be sent in \(place)"
    }
  }
}
