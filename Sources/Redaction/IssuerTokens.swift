import Text

/// Tokens and keys with a beginning that their issuers document, found anywhere in a text and with any length.
enum IssuerTokens {
  /// A beginning and the characters after it.
  struct Shape: Sendable {
    let beginning: [UInt8]
    /// Characters other than letters and digits.
    let others: [UInt8]
    /// The least number of characters behind the beginning.
    let minimum: Int
  }

  /// The characters after most beginnings, other than letters and digits.
  private static let usual = "_-"

  /// The beginnings, by issuer. A new issuer needs only a line here.
  private static let table: [(issuer: String, beginnings: [String], others: String, minimum: Int)] = [
    // docs.github.com/authentication, "About authentication to GitHub": token formats
    ("GitHub", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], usual, 10),
    // docs.gitlab.com/security/tokens: token prefixes
    (
      "GitLab",
      ["glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-"],
      usual + ".", 10
    ),
    // docs.stripe.com/keys; publishable keys (pk_) are public
    ("Stripe", ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], usual, 10),
    // docs.aws.amazon.com/IAM, "IAM identifiers": unique ID prefixes
    ("AWS", ["AKIA", "ASIA", "ABIA", "ACCA"], "", 12),
    // cloud.google.com/docs/authentication/api-keys; developers.google.com/identity/protocols/oauth2
    ("Google", ["AIza", "ya29.", "GOCSPX-", "1//0"], usual, 16),
    // api.slack.com/authentication/token-types
    ("Slack", ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxc-", "xoxd-", "xapp-"], usual + ".", 10),
    // npm documentation, "About access tokens"
    ("npm", ["npm_"], "", 20),
    // huggingface.co/docs/hub/security-tokens
    ("Hugging Face", ["hf_"], "", 16),
    // docs.digitalocean.com/reference/api: token prefixes
    ("DigitalOcean", ["dop_v1_", "doo_v1_", "dor_v1_"], "", 16),
    // www.twilio.com/docs/iam/api-keys: SID of a key
    ("Twilio", ["SK"], "", 32),
    // www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    ("SendGrid", ["SG."], usual + ".", 20),
    // PyPI help, "How can I use API tokens?"
    ("PyPI", ["pypi-AgE"], usual, 16),
    // shopify.dev/docs/apps/build/authentication-authorization: access tokens
    ("Shopify", ["shpat_", "shpca_", "shppa_", "shpss_"], "", 16),
    // developer.squareup.com/docs/build-basics/access-tokens
    ("Square", ["sq0atp-", "sq0csp-", "sq0idp-"], usual, 16),
    // platform.openai.com/docs/api-reference/authentication; docs.anthropic.com/api
    ("OpenAI, Anthropic", ["sk-proj-", "sk-svcacct-", "sk-ant-", "sk-or-"], usual, 16),
    // developer.hashicorp.com/vault/docs/concepts/tokens
    ("Vault", ["hvs.", "hvb.", "hvr."], usual, 16),
    // docs.databricks.com/dev-tools/auth/pat
    ("Databricks", ["dapi"], "-", 32),
    // Atlassian, Figma, Postman, Supabase, Grafana, New Relic, Netlify, Notion, Linear, Doppler, Sentry, Brevo: their API documentation
    ("Atlassian", ["ATATT3", "ATCTT3"], usual + "=", 16), ("Figma", ["figd_"], usual, 16), ("Postman", ["PMAK-"], "-", 16),
    ("Supabase", ["sbp_", "sb_secret_"], usual, 16), ("Grafana", ["glsa_", "glc_"], usual + "=", 16),
    ("New Relic", ["NRAK-"], "", 16),
    ("Netlify", ["nfp_"], usual, 16), ("Notion", ["ntn_"], usual, 16), ("Linear", ["lin_api_", "lin_oauth_"], "", 16),
    ("Doppler", ["dp.pt.", "dp.st."], usual + ".", 16), ("Sentry", ["sntrys_", "sntryu_"], usual + "=", 16),
    ("Brevo", ["xkeysib-", "xsmtpsib-"], usual, 16), ("PlanetScale", ["pscale_tkn_", "pscale_oauth_"], usual + ".", 16),
    ("RubyGems", ["rubygems_"], "", 16), ("Mailgun", ["key-"], "", 32), ("age", ["AGE-SECRET-KEY-1"], "", 16),
    ("Docker", ["dckr_pat_"], usual, 16), ("Heroku", ["HRKU-"], usual, 16), ("Groq", ["gsk_"], "", 20),
    ("Expo", ["ExponentPushToken["], usual, 10),
  ]

  /// By the first byte.
  private static let shapes: [[Shape]] = {
    var shapes = [[Shape]](repeating: [], count: 256)
    for line in table {
      for beginning in line.beginnings {
        let bytes = Array(beginning.utf8)
        shapes[Int(bytes[0])].append(Shape(beginning: bytes, others: Array(line.others.utf8), minimum: line.minimum))
      }
    }
    return shapes
  }()

  /// The first four bytes of the beginnings and of PEM in lower case, by a hash; ``SecretPrecheck`` stops at them. Shorter beginnings are
  /// in ``short``.
  static let marks: [Bool] = {
    var marks = [Bool](repeating: false, count: 1 << 16)
    // The hyphens in front of a private key.
    marks[mark(of: 0x2d2d_2d2d)] = true
    for bytes in table.flatMap(\.beginnings).map({ Array($0.utf8) }) where bytes.count >= 4 {
      marks[mark(of: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32(ASCII.lowercased($1)) })] = true
    }
    return marks
  }()

  /// `hf_` and `sg.`
  static let short: (UInt32, UInt32) = (0x68_66_5f, 0x73_67_2e)

  /// The index of a window of four bytes in lower case in ``marks``.
  static func mark(of window: UInt32) -> Int { Int((window &* 0x9e37_79b1) >> 16) }

  /// The tokens, and private keys in PEM (RFC 7468), whose beginning follows no letter or digit.
  static func spans(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      let isStart = index == 0 || !ASCII.isAlphanumeric(bytes[index - 1])
      if isStart, let end = end(of: index, in: bytes) {
        found.append((index..<end, .token))
        index = end
      } else if isStart || bytes[..<index].suffix(3).elementsEqual(bot), let end = endOfBotToken(at: index, in: bytes) {
        found.append((index..<end, .token))
        index = end
      } else if bytes[index] == UInt8(ascii: "-"), let end = endOfPrivateKey(at: index, in: bytes) {
        found.append((index..<end, .key))
        index = end
      } else {
        index += 1
      }
    }
    let isAmazon = found.contains { match in amazon.contains { bytes[match.range].starts(with: $0) } }
    return isAmazon ? found + amazonSecrets(in: bytes) : found
  }

  /// The beginnings of the ids of AWS keys.
  private static let amazon = table.filter { $0.issuer == "AWS" }.flatMap(\.beginnings).map { Array($0.utf8) }

  /// The 40 characters of Base64 that belong to the id of a key in the same text.
  private static func amazonSecrets(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      let start = index
      index = SecretShapes.end(of: start, in: bytes) { ASCII.isAlphanumeric($0) || "+/".utf8.contains($0) }
      if index - start == 40 { found.append((start..<index, .key)) }
      index = max(index, start + 1)
    }
    return found
  }

  private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
    for shape in shapes[Int(bytes[start])] where bytes[start...].starts(with: shape.beginning) {
      let first = start + shape.beginning.count
      let end = SecretShapes.end(of: first, in: bytes) { ASCII.isAlphanumeric($0) || shape.others.contains($0) }
      guard end - first >= shape.minimum else { continue }
      let rest = bytes[first..<end]
      // A name such as `sk_test_mode_is_on` begins like a key.
      let hasDigit = rest.contains(where: ASCII.isDigit)
      if hasDigit || !SecretNameWords.isWords(Array(rest)) { return end }
    }
    return nil
  }

  /// The text before a bot's token in a path.
  private static let bot = Array("bot".utf8)

  /// Eight to ten digits, `:` and 35 characters, as Telegram's bots have them (core.telegram.org/bots/features).
  private static func endOfBotToken(at start: Int, in bytes: [UInt8]) -> Int? {
    let colon = SecretShapes.end(of: start, in: bytes, while: ASCII.isDigit)
    guard (8...10).contains(colon - start), colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
    let end = SecretShapes.end(of: colon + 1, in: bytes, while: SecretShapes.isBase64URL)
    return (33...40).contains(end - colon - 1) ? end : nil
  }

  private static let opening = Array("-----BEGIN ".utf8)
  private static let closing = Array("-----END ".utf8)
  private static let privateKey = Array("PRIVATE KEY".utf8)

  private static func endOfPrivateKey(at start: Int, in bytes: [UInt8]) -> Int? {
    guard bytes[start...].starts(with: opening) else { return nil }
    let head = bytes[start..<min(bytes.count, start + 64)]
    guard head.firstRange(of: privateKey) != nil else { return nil }
    // A key that is cut off ends with the text.
    guard let closing = bytes[start...].firstRange(of: closing) else { return bytes.count }
    return SecretShapes.end(of: min(closing.upperBound, bytes.count), in: bytes) {
      $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") || ASCII.isUppercase($0)
    }
  }
}
