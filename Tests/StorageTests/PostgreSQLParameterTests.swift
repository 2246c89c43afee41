import Support
import Testing

@testable import Storage

struct PostgreSQLParameterTests {
  /// PostgreSQL's manual, section 4.1: what is in a text, a name or a comment is no parameter.
  @Test(arguments: [
    ("", ""), ("SELECT ?, ?", "SELECT $1, $2"), ("SELECT '?', ?", "SELECT '?', $1"),
    ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"),
    (#"SELECT "a?""?", ?"#, #"SELECT "a?""?", $1"#), ("SELECT 'é', ?", "SELECT 'é', $1"),
    // A combining accent behind the quote makes no other character of it.
    ("SELECT '\u{301}?', ?", "SELECT '\u{301}?', $1"),
    ("SELECT 1 -- who's?\n, ?", "SELECT 1 -- who's?\n, $1"), ("SELECT ? -- ?", "SELECT $1 -- ?"),
    ("SELECT ? - ?", "SELECT $1 - $2"), ("SELECT 1 -- ?\r\n, ?", "SELECT 1 -- ?\r\n, $1"),
    ("SELECT /* it's ? /* ? */ ? */ ?", "SELECT /* it's ? /* ? */ ? */ $1"), ("SELECT ? / ? * ?", "SELECT $1 / $2 * $3"),
    ("SELECT /*/ ? */ ?", "SELECT /*/ ? */ $1"), ("SELECT '/*', ? , '*/'", "SELECT '/*', $1 , '*/'"),
    ("SELECT $$it's ?$$, ?", "SELECT $$it's ?$$, $1"), ("SELECT $a$ ? $$ ? $a$, ?", "SELECT $a$ ? $$ ? $a$, $1"),
    ("SELECT a$b$ ? $b$", "SELECT a$b$ $1 $b$"), ("SELECT $1x$ ?", "SELECT $1x$ $1"),
    ("SELECT '$$', ?, '$$'", "SELECT '$$', $1, '$$'"),
    (#"SELECT E'it\'s ?', ?"#, #"SELECT E'it\'s ?', $1"#), (#"SELECT e'\\', ?"#, #"SELECT e'\\', $1"#),
    (#"SELECT E'a''?\'?', ?"#, #"SELECT E'a''?\'?', $1"#),
    // In a standard text a backslash is a character.
    (#"SELECT 'a\', ?"#, #"SELECT 'a\', $1"#), (#"SELECT DATE'\', ?"#, #"SELECT DATE'\', $1"#),
    ("SELECT 'never ended ?", "SELECT 'never ended ?"), ("SELECT /* ?", "SELECT /* ?"), ("SELECT $$ ?", "SELECT $$ ?"),
    (#"SELECT E'\"#, #"SELECT E'\"#),
  ]) func onlyParametersAreNumbered(sql: String, expected: String) {
    #expect(PostgreSQLParameter.numbered(sql) == expected)
  }

  @Test func theDatabaseReadsStatementsTheSameWay() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, _ in
      let row = try await engine.read {
        try $0.first(
          #"""
          SELECT 'it''s ?' AS plain, E'it\'s ?' AS escaped, $a$it's $$?$$$a$ AS dollars, 'a\' AS backslash, /* ? /* ' */ ? */
            CAST(? AS TEXT) AS first, -- '?
            CAST(? AS BIGINT) AS second
          """#, "one", 2)
      }
      #expect(try row?.text("plain") == "it's ?" && row?.text("escaped") == "it's ?" && row?.text("dollars") == "it's $$?$$")
      #expect(try row?.text("backslash") == #"a\"# && row?.text("first") == "one" && row?.integer("second") == 2)
    }
  }
}
