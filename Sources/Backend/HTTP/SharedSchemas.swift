import HTTPTypes
import OpenAPI
import RPC

extension Schema {
  static let id = Schema.string.refined(by: .uuid).named("ID")
  static let languageCode = Schema.string.refined(by: .oneOf(BackendAppRoutes.languages.map(\.code))).named("LanguageCode")
  /// A date that a caller sends, in any form of RFC 3339.
  static let dateTime = Schema.string.refined(by: .format("date-time"))
  static let identifier = Schema.string.refined(
    by: .maximumLength(254)
      && .described("An email address in ASCII with a dot in its domain, or an international phone number.")
      && .pattern(
        "^([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,32}([.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,31})?"
          + "@[A-Za-z0-9]{1,63}([.][A-Za-z0-9]{1,63}){1,2}|[+][1-9][0-9]{6,14})$")
  ).named("Identifier")
}

extension Refinement {
  /// No C0 or C1 control characters.
  static let noControlCharacters = Refinement.pattern(#"^[^\u0000-\u001f\u007f-\u009f]+$"#)
}

extension Parameter {
  static let device = Parameter.header(
    HTTPField.Name.deviceID.rawName, "The device; a login registers it, and only this device may use the session.",
    .string.refined(by: .length(1...128) && .pattern("^[0-9A-Za-z!#$%&'*+.^_`|~-]+$")), isRequired: true
  ).named("Device")
  static let idempotencyKey = Parameter.header(
    HTTPField.Name.idempotencyKey.rawName,
    "For 24 h, the same key and body get the same answer; a different body gets 409.", .string.refined(by: .uuid)
  ).named("IdempotencyKey")
}
