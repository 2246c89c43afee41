import Foundation
import JSON

/// A message of the backend's inbox.
struct BackendMail: Sendable {
  let id: String
  let to: String
  let text: String
  let link: String
  let code: String

  /// Creates a message from the inbox's JSON.
  init(_ json: JSONNode) {
    id = json["id"]?.string ?? ""
    to = json["to"]?.string ?? ""
    text = json["text"]?.string ?? ""
    link = json["link"]?.string ?? ""
    code = json["code"]?.string ?? ""
  }

  /// The link's token.
  var token: String {
    link.components(separatedBy: "#token=").last?.components(separatedBy: "&").first ?? ""
  }

  /// A code of the right format that is not this message's.
  var wrongCode: String { code == "000000" ? "000001" : "000000" }
}
