"""The recipes of CONTRIBUTING.md, each as the edits that it asks for."""

import json
from pathlib import Path

LOCALES = "Public/assets/locales"


class Recipe:
    """Edits of one recipe in a copy of the project.

    `touched` has the files that it created or changed; the files of words, one for each language, count as one.
    """

    def __init__(self, root):
        self.root = Path(root)
        self.touched = set()
        self.lines = 0

    def create(self, path, text):
        """Writes a new file."""
        file = self.root / path
        assert not file.exists(), f"{path} exists already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.touched.add(path)

    def replace(self, path, anchor, text):
        """Replaces an anchor that occurs once."""
        file = self.root / path
        before = file.read_text(encoding="utf-8")
        assert before.count(anchor) == 1, f"{path} contains {anchor!r} {before.count(anchor)} times: the recipe needs another anchor"
        file.write_text(before.replace(anchor, text), encoding="utf-8")
        self.touched.add(path)
        self.lines += len(text.splitlines()) - len(anchor.splitlines()) or 1

    def translate(self, section, words, of=lambda key: None):
        """Adds messages to a section of every language: at its end, or each behind the key `of` which it is made.

        `words` makes them of the language's code and the section's messages.
        """
        for file in sorted((self.root / LOCALES).glob("*.json")):
            sections = json.loads(file.read_text(encoding="utf-8"))
            messages = sections.setdefault(section, {})
            keys = list(messages)
            for key, text in words(file.stem, messages).items():
                keys.insert(keys.index(of(key)) + 1 if of(key) else len(keys), key)
                messages[key] = text
            sections[section] = {key: messages[key] for key in keys}
            file.write_text(json.dumps(sections, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        self.touched.add(LOCALES)

    def add_after(self, path, anchor, text):
        """Inserts text after an anchor that occurs once."""
        self.replace(path, anchor, anchor + text)


def add_endpoint(root):
    """`GET /api/account/streak`, which asks the backend with `GET /rpc/get_streak`."""
    recipe = Recipe(root)
    recipe.add_after("Sources/RPC/AccountEndpoints.swift", "    Me.self, ", "GetStreak.self, ")
    recipe.replace("Sources/RPC/AccountEndpoints.swift", "  /// `GET /rpc/me`: the account that is signed in.\n", """\
  /// `GET /rpc/get_streak`: the days in a row on which the account was used.
  package struct GetStreak: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = StreakBody
    package static let path = "/rpc/get_streak"
    package static let method = HTTPRequest.Method.get
    package static let requiresAuth = true
    package static let loggableBodies: LoggableBodies = .response
    package init() {}
  }

  /// `GET /rpc/me`: the account that is signed in.
""")
    recipe.replace("Sources/RPC/AccountEndpoints.swift", "/// A learning profile: one language of an account.\n", """\
/// The answer of `GET /rpc/get_streak`.
package struct StreakBody: Codable, Hashable, Sendable {
  package let days: Int
  package init(days: Int) { self.days = days }
}

/// A learning profile: one language of an account.
""")
    backend = "Sources/Backend/Accounts/BackendAccountRoutes.swift"
    recipe.replace(backend, "      BackendRoute(\n        AccountEndpoints.GetOrCreateProfile.self,", """\
      BackendRoute(
        AccountEndpoints.GetStreak.self,
        RouteDescription(tag: .account, summary: "Returns the streak of the account.", success: [.ok: "The streak."]),
        handler: { call in
          _ = try call.requiredSession()
          return try .json(StreakBody(days: 3))
        }),
      BackendRoute(
        AccountEndpoints.GetOrCreateProfile.self,""")
    recipe.replace(backend, "/// The account, its profiles and its deletion.\n", """\
extension StreakBody: DescribedBody {
  static let schema = Schema.recorded(from: StreakBody.self)
}

/// The account, its profiles and its deletion.
""")
    gateway = "Sources/Domain/AccountGateway.swift"
    recipe.replace(gateway, "\n  package init(\n    fetchMe:", """
  /// Fetches the number of days in a row on which the account was used.
  package var fetchStreak: @Sendable () async throws(AccountError) -> Int

  package init(
    fetchMe:""")
    recipe.replace(gateway, "    requestDeletion: @escaping @Sendable () async throws(AccountError) -> Date?\n", """\
    requestDeletion: @escaping @Sendable () async throws(AccountError) -> Date?,
    fetchStreak: @escaping @Sendable () async throws(AccountError) -> Int = { () throws(AccountError) in throw .signedOut }
""")
    recipe.add_after(gateway, "    self.requestDeletion = requestDeletion\n", "    self.fetchStreak = fetchStreak\n")
    recipe.replace("Sources/Client/Gateways/AccountGateway+Backend.swift", "          throw .outcomeUnknown(cause)\n        }\n      })\n", """\
          throw .outcomeUnknown(cause)
        }
      },
      fetchStreak: { () throws(AccountError) in
        do throws(NetworkError) {
          return try await api.send(AccountEndpoints.GetStreak()).days
        } catch {
          throw AccountError(error, isSignedIn: await api.session.state.isSignedIn)
        }
      })
""")
    console = "Sources/Console/Account/AccountRoutes.swift"
    recipe.replace(console, "    ConsoleRoute(\n      .post, \"/api/account/language\",", """\
    ConsoleRoute(
      .get, "/api/account/streak",
      Operation("streak", tag: "account", "The account's streak.", responses: [.json("The streak.", StreakBody.self)]),
      codes: .session,
      .device { _, device in
        try await device.requireSession()
        return try .body(StreakBody(days: try await device.client.account.fetchStreak()))
      }),
    ConsoleRoute(
      .post, "/api/account/language",""")
    recipe.replace(console, "  private struct DeletionReceiptBody: Codable {", """\
  private struct StreakBody: Codable {
    let days: Int
  }

  private struct DeletionReceiptBody: Codable {""")
    return recipe


def add_setting(root):
    """`newsletter`, which an account turns on with a switch on Settings; the backend keeps it."""
    recipe = Recipe(root)
    endpoints = "Sources/RPC/AccountEndpoints.swift"
    recipe.replace(endpoints, "RequestDeletion.self,\n  ]", "RequestDeletion.self, SetNewsletter.self,\n  ]")
    recipe.replace(endpoints, "  /// `POST /rpc/request_account_deletion`:", """\
  /// `POST /rpc/set_newsletter`: turns the newsletter on or off.
  package struct SetNewsletter: APIEndpoint {
    package typealias RequestBody = NewsletterBody
    package typealias ResponseBody = NewsletterBody
    package static let path = "/rpc/set_newsletter"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }

  /// `POST /rpc/request_account_deletion`:""")
    recipe.replace(endpoints, "/// The body of both profile endpoints.\n", """\
/// The request and the answer of `POST /rpc/set_newsletter`.
package struct NewsletterBody: Codable, Hashable, Sendable {
  package let isOn: Bool
  package init(isOn: Bool) { self.isOn = isOn }
  enum CodingKeys: String, CodingKey { case isOn = "is_on" }
}

/// The body of both profile endpoints.
""")
    recipe.replace(endpoints, "  /// The account's choice of analytics, under", """\
  /// Nil if the backend does not say.
  package let newsletter: Bool?
  /// The account's choice of analytics, under""")
    recipe.replace(endpoints, "deletionScheduledFor: Timestamp?\n  ) {", "deletionScheduledFor: Timestamp?,\n    newsletter: Bool? = nil\n  ) {")
    recipe.add_after(endpoints, "    self.deletionScheduledFor = deletionScheduledFor\n", "    self.newsletter = newsletter\n")
    recipe.replace(endpoints, "    case metadata\n", "    case newsletter, metadata\n")
    recipe.add_after(endpoints, ".deletionScheduledFor, ", ".newsletter, ")

    recipe.replace("Sources/Backend/Storage/DatabaseSchema.swift", "        \"\"\"),\n  ])", """\
        \"\"\"),
    .init("newsletter", script: "ALTER TABLE account ADD COLUMN newsletter {integer} NOT NULL DEFAULT 0;"),
  ])""")
    account = "Sources/Backend/Accounts/Account.swift"
    recipe.add_after(account, "  let deletionScheduledFor: Timestamp?\n", "  let newsletter: Bool\n")
    recipe.add_after(account, "createdAt: now, deletionScheduledFor: nil", ", newsletter: false")
    recipe.add_after(account, "      deletionScheduledFor: deletionScheduledFor", ", newsletter: newsletter")
    recipe.replace(account, "{ Timestamp(milliseconds: $0) })\n", "{ Timestamp(milliseconds: $0) },\n      newsletter: try row.flag(\"newsletter\"))\n")
    backend = "Sources/Backend/Accounts/BackendAccountRoutes.swift"
    recipe.replace(backend, "      BackendRoute(\n        AccountEndpoints.RequestDeletion.self,", """\
      BackendRoute(
        AccountEndpoints.SetNewsletter.self,
        RouteDescription(tag: .account, summary: "Turns the newsletter on or off.", success: [.ok: "The choice."]),
        services: services, effect: Self.setNewsletter),
      BackendRoute(
        AccountEndpoints.RequestDeletion.self,""")
    recipe.replace(backend, "  /// `POST /rpc/request_account_deletion`:", """\
  /// `POST /rpc/set_newsletter`.
  static func setNewsletter(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer {
    let body = try call.decode(NewsletterBody.self)
    try transaction.execute("UPDATE account SET newsletter = ? WHERE account_id = ?", body.isOn, session.accountID)
    return try .json(body)
  }

  /// `POST /rpc/request_account_deletion`:""")
    recipe.replace(backend, '"deletion_scheduled_for",\n', '"deletion_scheduled_for", "newsletter",\n')
    recipe.replace(backend, "extension ProfileBody: DescribedBody {", """\
extension NewsletterBody: DescribedBody {
  static let schema = Schema.recorded(from: NewsletterBody.self)
}

extension ProfileBody: DescribedBody {""")

    gateway = "Sources/Domain/AccountGateway.swift"
    recipe.replace(gateway, "  package let source: AccountDashboard.Source\n", """\
  package let source: AccountDashboard.Source
  /// Nil if the backend does not say.
  package let newsletter: Bool?
""")
    recipe.replace(gateway, "source: AccountDashboard.Source = .network, syncedAt: Date) {", """\
source: AccountDashboard.Source = .network, syncedAt: Date, newsletter: Bool? = nil) {
    self.newsletter = newsletter""")
    recipe.replace(gateway, "  /// Requests the deletion of", """\
  /// Turns the account's newsletter on or off.
  package var setNewsletter: @Sendable (_ isOn: Bool) async throws(AccountError) -> Void
  /// Requests the deletion of""")
    recipe.replace(gateway, "    requestDeletion: @escaping", """\
    setNewsletter: @escaping @Sendable (Bool) async throws(AccountError) -> Void = { _ throws(AccountError) in throw .signedOut },
    requestDeletion: @escaping""")
    recipe.add_after(gateway, "    self.requestDeletion = requestDeletion\n", "    self.setNewsletter = setNewsletter\n")
    client = "Sources/Client/Gateways/AccountGateway+Backend.swift"
    recipe.replace(client, "syncedAt: receipt.storedAt ?? api.time.wall())\n", "syncedAt: receipt.storedAt ?? api.time.wall(),\n            newsletter: receipt.body.newsletter)\n")
    recipe.replace(client, "      requestDeletion: {", """\
      setNewsletter: { isOn throws(AccountError) in
        do throws(NetworkError) {
          _ = try await api.send(AccountEndpoints.SetNewsletter(), body: NewsletterBody(isOn: isOn))
        } catch {
          throw AccountError(error, isSignedIn: await api.session.state.isSignedIn)
        }
      },
      requestDeletion: {""")

    console = "Sources/Console/Account/AccountRoutes.swift"
    recipe.add_after(console, "    let preferredLanguageCode: String\n", "    let newsletter: Bool\n")
    recipe.replace(console, "      preferredLanguageCode =\n", "      newsletter = dashboard.account.newsletter ?? false\n      preferredLanguageCode =\n")
    recipe.replace(console, "  private struct DeletionBody: Decodable {", """\
  private struct NewsletterBody: Decodable {
    let isOn: Bool
  }

  private struct DeletionBody: Decodable {""")
    recipe.replace(console, "    ConsoleRoute(\n      .post, \"/api/account/deletion\",", """\
    ConsoleRoute(
      .post, "/api/account/newsletter",
      Operation(
        "setNewsletter", tag: "account", "Turns the account's newsletter on or off.",
        request: .json(NewsletterBody.self), responses: [.json("The account.", AccountBody.self)]),
      codes: .session,
      .device { call, device in
        let isOn = try await call.body(NewsletterBody.self).isOn
        try await device.requireSession()
        return try await Flow.$current.withValue(Flow(name: "set_newsletter")) {
          try await device.client.account.setNewsletter(isOn)
          return try .body(await device.accountBody())
        }
      }),
    ConsoleRoute(
      .post, "/api/account/deletion",""")

    page = "Public/settings.html"
    recipe.replace(page, '                <div class="row">\n                  <a class="button" href="/network"', """\
                <div class="switch-line">
                  <input type="checkbox" role="switch" class="switch" id="newsletter"
                    data-setting="newsletter" data-path="/api/account/newsletter" data-field="is_on"
                    data-on="settings.newsletter_on" data-off="settings.newsletter_off">
                  <label class="label" for="newsletter" data-i18n="settings.newsletter">Send anonymous usage events 2</label>
                </div>
                <div class="row">
                  <a class="button" href="/network\"""")
    recipe.add_after(page, '          <p class="notice" id="analytics-result" hidden></p>\n', '          <p class="notice" id="newsletter-result" hidden></p>\n')
    words = {"newsletter": "analytics", "newsletter_on": "analytics_on", "newsletter_off": "analytics_off"}
    recipe.translate("account", lambda _, messages: {
        f"settings.{key}": f"{messages[f'settings.{kept}']} 2" for key, kept in words.items()})
    return recipe


def add_page(root):
    """`/streak`, which says how many days the streak has."""
    recipe = Recipe(root)
    recipe.create("Public/streak.html", """\
<!doctype html>
<html lang="en" dir="ltr" data-words="streak">
  <head>
    <!-- include head.html -->
    <title data-i18n="nav.streak">Streak · Understudy</title>
    <link rel="modulepreload" href="/assets/js/models/streak/streak.js">
    <script type="module" src="/assets/js/elements/streak/streak-view.js"></script>
  </head>
  <body>
    <!-- include header.html page=streak -->
    <main id="main" class="page" tabindex="-1">
      <!-- include noscript.html -->
      <div class="page-head"><h1 data-i18n="streak.title">Streak</h1></div>
      <streak-view></streak-view>
    </main>
  </body>
</html>
""")
    recipe.replace("Public/parts/header.html", '      <a href="/inbox"', """\
      <a href="/streak" {{aria-current="page" if page=streak}} data-i18n="nav.streak">Streak</a>
      <a href="/inbox\"""")
    recipe.create("Public/assets/js/elements/streak/streak-view.js", """\
// @ts-check
import { caption } from "../../models/streak/streak.js";

/** Says how many days the streak has. */
class StreakView extends HTMLElement {
  connectedCallback() {
    this.textContent = caption(3);
  }
}

customElements.define("streak-view", StreakView);
""")
    recipe.create("Public/assets/js/models/streak/streak.js", """\
// @ts-check

/** The caption of a streak. @param {number} days @returns {string} */
export const caption = (days) => String(days);
""")
    recipe.add_after("Public/help.html", '            <li><a href="#cues">Cues</a></li>\n', '            <li><a href="#streak">Streak</a></li>\n')
    recipe.replace("Public/help.html", '          <section id="network"', """\
          <section id="streak" aria-labelledby="streak-title">
            <h2 id="streak-title">Streak</h2>
            <p><a href="/streak">Streak</a> says how many days the streak has.</p>
          </section>
          <section id="network\"""")
    words = {"en": "Streak", "de": "Serie", "fr": "Série", "es": "Racha", "pl": "Seria", "ja": "連続", "ar": "سلسلة", "he": "רצף"}
    recipe.translate("common", lambda code, _: {"nav.streak": words[code]})
    recipe.translate("streak", lambda code, _: {"streak.title": words[code]})
    recipe.create("Tests/JavaScript/streak.test.js", """\
// @ts-check
import { caption } from "../../Public/assets/js/models/streak/streak.js";
import { same } from "./check.js";

Deno.test("a streak of three days says so", () => same(caption(3), "3"));
""")
    return recipe


def add_column(root):
    """How many bytes a request has."""
    recipe = Recipe(root)
    recipe.replace("Public/assets/js/models/network/columns.js", '  {\n    name: "size",', """\
  { name: "sent", width: 4.5, yields: 1, text: (row, { words }) => words.byteSize(row.request_bytes) },
  {
    name: "size",""")
    recipe.translate("network", lambda _, messages: {"network.col.sent": f"{messages['network.col.size']} 2"})
    return recipe


def add_flag(root):
    """`--nap SECONDS` of `serve`, which must be 1 to 9."""
    recipe = Recipe(root)
    recipe.add_after("Sources/Composition/Commands/ServeCommand.swift", "  var deviceIdle = 1800\n", """\
  @Option(help: "Seconds that a device naps.", read: .number(1...9)) var nap = 2
""")
    recipe.replace("Sources/Composition/Services/RunningConsole.swift", ".seconds(settings.deviceIdle)", ".seconds(settings.deviceIdle + settings.nap)")
    return recipe


def add_secret_name(root):
    """Values named `tessera` are masked."""
    recipe = Recipe(root)
    recipe.add_after("Sources/Redaction/SecretNameWords.swift", '("puk", .code),', ' ("tessera", .token),')
    return recipe


def add_preset(root):
    """A backend that takes nine seconds."""
    recipe = Recipe(root)
    recipe.add_after(
        "Sources/Client/Faults/FaultPreset.swift", '    FaultPreset("airplane", "Airplane", .init(.offline)),\n',
        '    FaultPreset("lunch-break", "Lunch break", .init(.latency, latencyMilliseconds: 9000)),\n')
    recipe.replace("Public/assets/js/models/faults/fault-groups.js", '"airplane", ', '"airplane", "lunch-break", ')
    recipe.translate("faults", lambda _, messages: {
        key.replace("airplane", "lunch-break"): f"{text} 2" for key, text in messages.items() if "airplane" in key},
        of=lambda key: key.replace("lunch-break", "airplane"))
    return recipe


def add_language(root):
    """Esperanto, whose words are the English ones with a mark, so that a page shows which language it uses."""
    recipe = Recipe(root)
    sections = json.loads((Path(root) / LOCALES / "en.json").read_text(encoding="utf-8"))

    def marked(message):
        if isinstance(message, dict):
            return {category: marked(text) for category, text in message.items()}
        return message + " ĉ"

    recipe.create(f"{LOCALES}/eo.json", json.dumps(
        {section: {key: marked(text) for key, text in messages.items()} if isinstance(messages, dict) else messages
         for section, messages in sections.items()}, ensure_ascii=False, indent=2) + "\n")
    recipe.replace("Public/parts/head.html", ' en-XA', ' eo=Esperanto en-XA')
    return recipe


# The language comes last, because its file has the words of the others too.
in_order = (add_endpoint, add_setting, add_page, add_column, add_flag, add_secret_name, add_preset, add_language)
