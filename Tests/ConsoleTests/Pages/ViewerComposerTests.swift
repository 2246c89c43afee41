import Console
import Foundation
import Logging
import Observability
import Server
import Support
import Testing

/// The page of an export, made of the pages' own modules, style sheets and words.
@Suite(.timeLimit(.minutes(1))) struct ViewerComposerTests {
  private static let parts = [
    "parts/head.html": """
    <meta charset="utf-8">
    <meta name="languages" content="en=English de=Deutsch en-XA">
    <script src="/assets/js/boot.js"></script>
    <link rel="modulepreload" href="/assets/js/shell.js">
    <script type="module" src="/assets/js/shell.js"></script>
    """,
    "parts/viewer.html": """
    <html data-words="log"><head>
    <!-- include head.html -->
    <link rel="stylesheet" href="/assets/css/log.css">
    </head><body>
    <svg><use href="/assets/icons/sprite.svg#mark"></use></svg>
    <!-- session -->
    </body></html>
    """,
    "assets/icons/sprite.svg": #"<svg><symbol id="mark"/></svg>"#,
    "assets/css/log.css": "body { color: red }\n",
    "assets/js/boot.js": "boot();\n",
    "assets/js/elements/viewer/viewer.js": """
    // @ts-check
    import { a, b as c } from "../../models/log.js";
    import "../../models/other.js";
    const more = once(() => import("../../models/more.js"));
    loadWords("extra");
    """,
    "assets/js/models/log.js": """
    /** A number. */
    export const a = 1;
    export const [b, d] = [2, 3];
    /**
     * Nothing.
     */
    export async function e() {
      await import("./later.js");
    }
    export class F {}
    """,
    "assets/js/models/other.js": "import { a } from \"./log.js\";\n", "assets/js/models/more.js": "more();\n",
    "assets/locales/en.json": #"{"log": {"x": "<b>"}, "unused": {"z": "Z"}, "extra": {"y": "why"}}"#,
    "assets/locales/de.json": #"{"log": {"x": "X"}, "extra": {"y": "warum"}}"#,
  ]

  /// The page, or nil if it cannot be made.
  private static func page(_ changes: [String: String] = [:]) throws -> String? {
    let folder = try TemporaryFolder()
    for (path, text) in parts.merging(changes, uniquingKeysWith: { $1 }) {
      let file = URL(fileURLWithPath: folder.path).appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let pages = try ConsolePages.files(folder: folder.path, logger: Logger(label: "test"))
    return pages.content(of: "parts/viewer.html").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func everyPartIsInIt() throws {
    let page = try #require(try Self.page())
    #expect(!page.contains("src=") && !page.contains("rel=") && !page.contains("shell.js"))
    #expect(page.contains(#"<link href="/assets/css/log.css">"#))
    #expect(page.contains("<script>boot();\n</script>") && page.contains("<style>body { color: red }\n</style>"))
    #expect(page.contains(##"<use href="#icon-mark">"##) && page.contains(#"<symbol id="icon-mark"/>"#))
    #expect(page.contains(#""en":{"extra":{"y":"why"},"# + "\n" + #""log":{"x":"\u003cb>"}}"#))
    #expect(page.contains(#""de":{"extra":{"y":"warum"}"#) && !page.contains("unused") && !page.contains("en-XA\":"))
    #expect(page.contains("default-src 'none'; script-src 'sha256-"))
    #expect(!page.contains("unsafe-inline") && page.components(separatedBy: "'sha256-").count == 4)
  }

  @Test func modulesAreFunctionsThatReturnWhatTheyExport() throws {
    let page = try #require(try Self.page())
    #expect(
      page.contains(
        """
        "assets/js/models/log.js": async () => {
        const a = 1;
        const [b, d] = [2, 3];
        async function e() {
          await $load("assets/js/models/later.js");
        }
        class F {}
        return { a, b, d, e, F };
        },
        """))
    #expect(
      page.contains(
        """
        const { a, b: c } = await $load("assets/js/models/log.js");
        await $load("assets/js/models/other.js");
        const more = once(() => $load("assets/js/models/more.js"));
        """))
    // What a module other than the first one loads later is left out.
    #expect(page.contains("\"assets/js/models/more.js\": async") && !page.contains("\"assets/js/models/later.js\": async"))
  }

  @Test(arguments: [
    "import * as all from \"./log.js\";\n", "import a from \"./log.js\";\n", "import { a } from \"log\";\n",
    "export { a } from \"./log.js\";\n", "export let a = 1;\n", "export default 1;\n", "import { a } from \"./none.js\";\n",
    "const a = \"</script>\";\n", "const a = \"<!--\";\n",
  ])
  func whatItCannotReadIsRefused(_ text: String) throws {
    #expect(try Self.page(["assets/js/models/other.js": text]) == nil)
  }

  /// The page of this project, which every export shows its rows in.
  @Test func theProjectsOwnPageCanBeMade() throws {
    let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../../Public").standardized.path
    let pages = try ConsolePages.files(folder: folder, logger: Logger(label: "test"))
    #expect(ConsolePages.viewer(of: pages) != nil)
    #expect((pages.content(of: "parts/viewer.html")?.count ?? 0) < 1_080_000)
  }
}
