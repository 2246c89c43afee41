import HTTPTypes
import Testing

@testable import Redaction
import Support

/// Secrets that only their place gives away: beside another member, behind a flag of a command, in markup, or in a sentence.
struct SecretPlacesTests {
  private let redactor = Redactor(registry: SecretRegistry(tagKey: [1]))

  private func shown(_ member: String) throws -> String {
    try #require(redactor.redact(.example(isAuthentication: false, body: "{\(member)}")).message.body)
  }

  /// RFC 7517 §4 and RFC 7518 §6: the private members of a key are known by `kty`.
  @Test(arguments: [
    (#""key":{"kty":"oct","k":"q81Zz0aa"}"#, "q81Zz0aa"), (#""kty":"EC","crv":"P-256","x":"f83O","d":"q81Zz0aa""#, "q81Zz0aa"),
    (
      #""keys":[{"kty":"RSA","n":"0vx7","e":"AQAB","d":"X4cT","p":"83i-","q":"3dfO","dp":"G4sP","dq":"s9lA","qi":"GyM_"}]"#,
      "X4cT"
    ),
    (#""kty":"RSA","p":"83i-","q":"3dfO""#, "83i-"), (#""kty":"RSA","dp":"G4sP","dq":"s9lA","qi":"GyM_""#, "GyM_"),
    (#""kty":"RSA","oth":[{"r":"q81Zz0aa","d":"b","t":"c"}]"#, "q81Zz0aa"), (#""d":"q81Zz0aa","kty":"OKP""#, "q81Zz0aa"),
    (#""kty":"AKP","priv":"q81Zz0aa""#, "q81Zz0aa"),
  ])
  func privateMembersOfJSONWebKeysAreMasked(_ member: String, secret: String) throws {
    #expect(try !shown(member).contains(secret))
  }

  @Test(arguments: [
    #""headers":{"k":"Authorization","v":"opensesame"}"#, #""list":[{"v":"opensesame","k":"password"}]"#,
    #""pair":{"Name":"Password","Value":"opensesame"}"#, #""pair":{"KEY":"api_key","VAL":"opensesame"}"#,
    #""pair":{"property":"db.password","value":"opensesame"}"#, #""pair":{"param":"token","value":"opensesame"}"#,
    #""pair":{"attribute":"secret","value":"opensesame"}"#, #""pair":{"variable":"API_KEY","value":"opensesame"}"#,
    #""curl":"curl -u bob:opensesame https://h.test""#, #""curl":"curl --user 'bob:opensesame' https://h.test""#,
    #""curl":"curl -ubob:opensesame https://h.test""#, #""curl":"curl -sS --proxy-user bob:opensesame h""#,
    #""curl":"curl -U \"bob:opensesame\" h""#, #""cli":"app login --password open5esame --now""#,
    #""cli":"vault login --token 'open5esame'""#,
    #""html":"name=&quot;token&quot; value=&quot;opensesame&quot;""#,
    #""html":"&lt;input name=&quot;token&quot; value=&quot;opensesame&quot;&gt;""#,
    #""html":"<input value=\"opensesame\" type=hidden name='csrf_token'>""#,
    #""html":"<meta name='csrf-token' content='opensesame'/>""#, #""html":"<Password>opensesame</Password>""#,
    #""soap":"<wsse:Password Type=\"x\">opensesame</wsse:Password>""#, #""html":"<a data-id=x id=\"token\" value=opensesame>""#,
    #""plist":"<dict><key>password</key> <string>opensesame</string></dict>""#,
    #""xml":"<string name=\"auth_token\">opensesame</string>""#, #""xml":"<token><![CDATA[opensesame]]></token>""#,
  ])
  func valuesThatTheirPlaceNamesAreMasked(_ member: String) throws {
    let shown = try shown(member)
    #expect(!shown.contains("opensesame") && !shown.contains("open5esame"), "\(shown)")
  }

  @Test(arguments: [
    "Passwort", "NeuesPasswort", "kennwort", "mot_de_passe", "motDePasse", "mot de passe", "contraseña", "contrasena",
    "nuevaContraseña", "nueva_contrasen\u{303}a", "hasło", "Hasło", "noweHasło", "パスワード", "新しいパスワード", "暗証番号", "סיסמה",
    "סיסמא", "كلمة_المرور", "كلمة السر", "пароль", "Пароль", "новый_пароль", "密码", "密碼", "비밀번호", "wachtwoord", "lösenord",
    "passord", "adgangskode", "salasana", "şifre", "jelszó", "lozinka", "парола", "лозинка", "κωδικός πρόσβασης", "mật_khẩu",
    "รหัสผ่าน", "पासवर्ड", "رمز عبور", "токен", "トークン", "令牌", "토큰",
  ])
  func namesInOtherLanguagesAreKnown(_ name: String) throws {
    #expect(try !shown("\"\(name)\":\"opensesame\"").contains("opensesame"))
    let form = RawRequest.example(query: "\(name.addingPercents)=opensesame")
    #expect(redactor.redact(form).query?.contains("opensesame") == false)
  }

  @Test(arguments: ["senha", "clave", "haslo", "heslo", "parola", "sifre", "jelszo", "geslo", "fcm", "apns", "gcm", "psk"])
  func shortNamesOfSecretsMaskMoreThanWords(_ name: String) throws {
    #expect(try !shown("\"\(name)\":\"Zq41-99aa\"").contains("Zq41"))
    #expect(try shown("\"\(name)\":\"enabled\"").contains("enabled"))
  }

  /// A request whose address names a sign-in carries a login code as `code`.
  @Test(arguments: [
    "/auth/verify", "/login/code", "/otp", "/v1/verifyCode", "/api/mfa/challenge", "/users/confirm-email", "/session",
    "/rpc/login_with_sms",
  ])
  func codeOfASignInRequestIsMasked(_ path: String) throws {
    for body in [#"{"code":"293910"}"#, #"{"data":{"code":29391}}"#, #"{"code":"293 910"}"#] {
      let request = RawRequest.example(path: path, isAuthentication: false, body: body)
      let shown = try #require(redactor.redact(request).message.body)
      #expect(!shown.contains("910") && !shown.contains("29391"), "\(shown)")
    }
  }

  @Test(arguments: ["/languages", "/coupons/redeem", "/countries", "/authors", "/tokenizer-settings"])
  func codeOfAnotherRequestStaysReadable(_ path: String) throws {
    let body = #"{"code":"293910"}"#
    #expect(redactor.redact(.example(path: path, isAuthentication: false, body: body)).message.body == body)
    let state = #"{"state":"active","code":"de"}"#
    #expect(redactor.redact(.example(path: "/auth/verify", isAuthentication: false, body: state)).message.body == state)
  }

  @Test(arguments: [
    "Your code is 483021", "Your code is: 483021.", "Your login code: 483 021", "483021 is your Example verification code",
    "Use 483021 as your one-time code.", "OTP: 483021", "Your OTP is 483021", "The code is 483021, valid for 10 minutes",
    "Dein Code lautet 483021", "Ihr Bestätigungscode ist 483021", "Votre code est 483021", "Tu código es 483021",
    "Twój kod to 483021", "あなたのコードは483021です", "認証コード：483021", "הקוד שלך הוא 483021", "رمز التحقق الخاص بك هو 483021",
    "Ваш код: 483021", "您的验证码是483021", "인증번호 483021", "Your password is 483021abc", "The new token is Zq483021",
  ])
  func secretInASentenceIsMasked(_ text: String) throws {
    let shown = try shown("\"message\":\"\(text)\"")
    #expect(!shown.contains("483021") && !shown.contains("021"), "\(shown)")
  }

  @Test(arguments: [
    "Status code is 4040", "The error code is 40102", "error code: 23505", "SQL state code 23505", "Your zip code is 53113",
    "Your order 483021 has no code", "The code is wrong.", "Your code has 6 digits", "exit code 12345", "The token is invalid",
    "The password is too short", "The country code is 0049", "code 40102 means a conflict", "The PIN has 4 digits",
    "The token is valid for 3600 s", "Use the --token option", "run it with --password to be asked", "git push -u origin main",
    "<b>Password</b> too short", "<label>Password</label>", "a <b and c> d", "sort -u names.txt",
    "Bar code is 4006381333931", "The session is active", "docker run -u 1000:1000 app",
  ])
  func sentenceWithoutASecretStaysReadable(_ text: String) throws {
    let member = "\"message\":\"\(text)\""
    #expect(try shown(member) == "{\(member)}")
  }

  @Test(arguments: [
    #""kty":"RSA","n":"0vx7agoebGcQ","e":"AQAB","kid":"2011-04-29","alg":"RS256","use":"sig""#,
    #""kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11","y":"4Etl6SRW2YiLUr""#, #""d":"M0 0h24","p":[1,2],"q":"shoes""#,
    #""pair":{"k":"color","v":"red-500"}"#, #""pair":{"k":"session","v":"active"}"#, #""pair":{"Key":"Name","Value":"web-3"}"#,
    #""mot":"bonjour""#, #""motif":"autre 12""#, #""コード":"ja-JP""#, #""fcm":true"#, #""apns":"sandbox""#,
  ])
  func memberBesideSecretsStaysReadable(_ member: String) throws { #expect(try shown(member) == "{\(member)}") }

  @Test(arguments: [
    ("App/1 (token opensesame9)", "App/1 (token ‹"),
    ("App/1 (iPhone; session_token opensesame9; iOS 17)", "App/1 (iPhone; session_token ‹"),
    ("App/1 token/opensesame9", "App/1 token/‹"),
  ])
  func tokenInAUserAgentIsMasked(_ value: String, begins beginning: String) {
    let shown = redactor.redact(.example(headers: [("User-Agent", value)])).message.headers[0].value
    #expect(shown.hasPrefix(beginning) && !shown.contains("opensesame9"), "\(shown)")
  }

  @Test(arguments: [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
    "okhttp/4.12.0", "App/1.2 (com.example.app; build:42; iOS 17.2.0) Alamofire/5.8.1",
    "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A.240105.004)",
    "App/1 (session active)", "curl/8.5.0",
  ])
  func ordinaryUserAgentStaysReadable(_ value: String) {
    #expect(redactor.redact(.example(headers: [("User-Agent", value)])).message.headers[0].value == value)
  }
}

extension String {
  /// Each byte in percent-encoding.
  fileprivate var addingPercents: String { utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
