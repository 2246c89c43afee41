import Domain
import Foundation
import Testing

@testable import BackendFile

/// The files of `Documentation/backends`.
struct GivenFilesTests {
  @Test func everyFileIsRead() throws {
    let names = try Samples.names(in: "Documentation/backends", ending: ".yaml")
    #expect(names.count == 14)
    for name in names { #expect(throws: Never.self) { try Samples.documented(name) } }
  }

  @Test func examplesOfTheDocumentationAreRead() throws {
    let page = String(decoding: try Samples.bytes("Documentation/backend-files.md"), as: UTF8.self)
    let examples = page.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    #expect(examples.count == 3)
    let files = try examples.map { try BackendDefinition(parsing: Array($0.utf8), file: "example") }
    #expect(files.map { $0.calls[0].name } == [.requestLoginCode, .loginWithPassword, .loginWithPassword])
    #expect(files.map(\.secrets) == [[], [], ["CLIENT_SECRET"]])
  }

  @Test func begunFileIsRead() throws {
    let definition = try BackendDefinition(parsing: Array(StarterFile.text.utf8), file: "new")
    #expect(definition.calls.map(\.name) == Self.byCode + [.refreshTokens, .me, .logout])
    // What is commented out is right as well.
    let whole = StarterFile.text.replacing(/(?m)^( *)# ( *[A-Za-z_]+: *(\{.*\}|[A-Z]+ \/.*|phone:.*)?)$/) {
      "\($0.output.1)\($0.output.2)"
    }
    #expect(throws: Never.self) { try BackendDefinition(parsing: Array(whole.utf8), file: "new") }
    #expect(try BackendDefinition(parsing: Array(whole.utf8), file: "new").has(.loginWithPassword))
  }

  struct Given: CustomTestStringConvertible {
    let name: String
    let calls: [CallName]
    let signIn: [[SignInField]]
    var secrets: [String] = []
    let hidden: Set<BackendFeature>

    var testDescription: String { name }
  }

  private static let byCode: [CallName] = [.requestLoginCode, .loginWithCode]
  private static let codeFields: [[SignInField]] = [[.identifier], [.identifier, .code]]
  private static let extras: Set<BackendFeature> = [.profiles, .cues, .deletion]
  private static let onlyCode = extras.union([.signInByLink, .signInByPassword])
  private static let onlyPassword = extras.union([.signInByLink, .signInByCode])

  static let given = [
    Given(
      name: "allauth-jwt", calls: byCode + [.refreshTokens, .me, .logout], signIn: [[.identifier], [.code]], hidden: onlyCode),
    Given(
      name: "allauth-session", calls: byCode + [.me, .logout], signIn: [[.identifier], [.code]],
      hidden: onlyCode.union([.refresh])),
    Given(
      name: "cognito", calls: byCode + [.refreshTokens, .me, .logout],
      signIn: [[.identifier, .password], [.identifier, .code]],
      secrets: ["CLIENT_ID"], hidden: onlyCode),
    Given(
      name: "django-oauth-toolkit", calls: [.loginWithPassword, .refreshTokens, .me, .logout],
      signIn: [[.identifier, .password]], secrets: ["CLIENT_SECRET"], hidden: onlyPassword),
    Given(name: "drfpasswordless", calls: byCode + [.me, .logout], signIn: codeFields, hidden: onlyCode.union([.refresh])),
    Given(
      name: "fastapi-users", calls: [.loginWithPassword, .me, .logout], signIn: [[.identifier, .password]],
      hidden: onlyPassword.union([.refresh])),
    Given(
      name: "flask-jwt-extended", calls: [.loginWithPassword, .refreshTokens, .me, .logout], signIn: [[.identifier, .password]],
      hidden: onlyPassword),
    Given(name: "flask-security-body", calls: byCode + [.refreshTokens, .me, .logout], signIn: codeFields, hidden: onlyCode),
    Given(name: "flask-security-cookie", calls: byCode + [.refreshTokens, .me, .logout], signIn: codeFields, hidden: onlyCode),
    Given(
      name: "knox", calls: [.loginWithPassword, .me, .logout], signIn: [[.identifier, .password]],
      hidden: onlyPassword.union([.refresh])),
    Given(
      name: "oidc", calls: [.loginWithPassword, .refreshTokens, .me], signIn: [[.identifier]], secrets: ["CLIENT_SECRET"],
      hidden: onlyPassword.union([.logout])),
    Given(
      name: "oidc-link", calls: [.loginWithMagicToken, .refreshTokens, .me], signIn: [[.link]], secrets: ["CLIENT_SECRET"],
      hidden: extras.union([.signInByCode, .signInByPassword, .logout])),
    Given(
      name: "simplejwt", calls: [.loginWithPassword, .refreshTokens, .me, .logout], signIn: [[.identifier, .password]],
      hidden: onlyPassword),
    Given(
      name: "understudy",
      calls: [
        .requestMagicLink, .requestLoginCode, .loginWithMagicToken, .loginWithCode, .refreshTokens, .me, .appConfig,
        .getOrCreateAccountProfile, .setActiveProfile, .requestAccountDeletion, .getCues, .shuffleCues, .updateCueStage, .logout,
      ],
      signIn: [[.identifier], [.identifier], [.link], [.identifier, .code]], hidden: [.signInByPassword]),
  ]

  @Test(arguments: given) func fileGivesItsCalls(_ given: Given) throws {
    let definition = try Samples.documented(given.name)
    #expect(definition.calls.map(\.name) == given.calls)
    #expect(definition.signIn.map(\.fields) == given.signIn)
    #expect(definition.secrets == given.secrets)
    #expect(Set(definition.hidden) == given.hidden)
    #expect(definition.hosts.isEmpty)
    #expect(definition.pastesLink == (given.name == "oidc-link"))
  }
}
