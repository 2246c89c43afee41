import Text

/// Classifies values by the names of their fields.
enum DraftNames {
  /// Letters and digits in lower case.
  static func word(_ name: some StringProtocol) -> String {
    String(decoding: name.utf8.lazy.filter(ASCII.isAlphanumeric).map(ASCII.lowercased), as: UTF8.self)
  }

  static func isPassword(_ word: String) -> Bool {
    ["pwd", "pass", "passwd", "passphrase"].contains(word) || word.hasSuffix("password")
  }

  static func isCode(_ word: String) -> Bool {
    ["code", "pin", "passcode", "totp", "onetimecode"].contains(word)
      || ["otp", "verificationcode", "logincode", "mfacode", "smscode", "confirmationcode", "authcode"].contains {
        word.hasSuffix($0)
      }
  }

  static func isLink(_ word: String) -> Bool {
    ["token", "tokenhash", "magictoken", "linktoken", "logintoken", "magiclink", "link", "ticket", "hash"].contains(word)
  }

  static func isIdentifier(_ word: String) -> Bool {
    [
      "user", "username", "login", "loginid", "identifier", "identity", "mobile", "msisdn", "account", "accountname", "handle",
      "userid", "sub", "mail", "phoneoremail", "emailorphone",
    ].contains(word) || ["email", "emailaddress", "phone", "phonenumber"].contains { word.hasSuffix($0) }
  }

  /// Names of values that every request of an app sends unchanged, and that are not secret.
  static func isConstant(_ word: String) -> Bool {
    [
      "granttype", "responsetype", "tokentypehint", "scope", "authflow", "challengename", "xamztarget", "contenttype",
      "operationname", "op", "connection", "provider", "tokentype", "clienttype", "platform", "xrequestedwith", "xplatform",
      "chosenmethod", "method", "channel", "type", "jsonrpc",
    ].contains(word)
  }

  /// The name in the file of a value that the client supplies with every request; nil for others.
  static func ofClient(_ word: String) -> String? {
    switch word {
    case "deviceid", "xdeviceid", "installationid", "xinstallationid": "device_id"
    case "requestid", "xrequestid", "xcorrelationid", "correlationid": "request_id"
    case "idempotencykey", "xidempotencykey": "idempotency_key"
    default: nil
    }
  }

  static func isRefresh(_ word: String) -> Bool {
    word.hasPrefix("refresh") && !word.contains("expire") || word.hasSuffix("refreshtoken") || word.hasPrefix("renew")
      || word == "rt"
  }

  static func isAccess(_ word: String) -> Bool {
    ["token", "access", "accesstoken", "authtoken", "sessiontoken", "jwt", "key", "sessionid", "sid", "idtoken"].contains(word)
      || word.hasSuffix("accesstoken") || word.hasSuffix("authtoken")
  }

  /// Whether a text can be in a file unchanged: words of letters, with few digits and no mixed words.
  static func isPlain(_ text: String) -> Bool {
    guard (1...80).contains(text.utf8.count),
      text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || " ._/+:;=,-".utf8.contains($0) })
    else { return false }
    return text.split { !$0.isLetter && !$0.isNumber }.allSatisfy { word in
      let digits = word.utf8.count(where: ASCII.isDigit)
      if digits == 0 { return word.utf8.count <= 40 }
      if digits == word.utf8.count { return digits <= 4 }
      // Such as `oauth2`.
      let isNumbered = digits == 1 && word.utf8.count <= 12 && word.utf8.last.map(ASCII.isDigit) ?? false
      return isNumbered || word.utf8.count <= 4
    }
  }

  /// Whether a name can be in a file unchanged. A map can have a secret as its key.
  static func isPlainName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.utf8.count(where: ASCII.isDigit) <= 4
      && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "_-.$[]".utf8.contains($0) }
  }

  /// A name in capitals, for a secret of the user.
  static func capitals(_ name: String) -> String {
    let joined = name.wordsOfName.joined(separator: "_").uppercased()
    return joined.first?.isLetter == true ? joined : "VALUE_\(joined)"
  }
}
