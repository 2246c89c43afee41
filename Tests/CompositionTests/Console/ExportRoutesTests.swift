import Foundation
import JSON
import Support
import Testing

/// Exports of a running console: complete, only the chosen rows, and without a secret.
@Suite(.timeLimit(.minutes(2))) struct ExportRoutesTests {
  private static func ids(_ browser: ConsoleBrowser) throws -> [String] {
    try browser.call("GET", "/api/network").json?["events"]?.elements.compactMap { $0["id"]?.string } ?? []
  }

  @Test func theBundleIsAnArchiveThatChecksItself() async throws {
    try await CueRoutesTests.withBrowser { browser, _ in
      let rows = try Self.ids(browser)
      let answer = try browser.call("GET", "/api/network/export?format=zip")
      #expect(answer.status == 200 && answer.raw.header("content-type") == "application/zip")
      let disposition = answer.raw.header("content-disposition") ?? ""
      #expect(disposition.hasPrefix("attachment; filename=\"understudy-2") && disposition.hasSuffix(".zip\""))
      #expect(answer.raw.header("cache-control") == "no-store")
      let count = try #require(answer.raw.header("x-export-rows").flatMap { Int($0) })
      #expect(count >= rows.count)
      #expect((answer.raw.header("x-export-secrets").flatMap { Int($0) } ?? 0) >= 3)
      let folder = try TemporaryFolder()
      try Data(answer.raw.body).write(to: URL(fileURLWithPath: folder.file("a.zip")))
      let program = """
        import hashlib, json, sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        assert archive.testzip() is None
        names = archive.namelist()
        for line in archive.read('SHA256SUMS').decode().splitlines():
            digest, name = line.split('  ', 1)
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest, name
            names.remove(name)
        assert names == ['SHA256SUMS'], names
        rows = json.loads(archive.read('rows.json'))
        har = json.loads(archive.read('session.har'))
        assert [row['id'] for row in rows] == sorted((e['_id'] for e in har['log']['entries']), key=[r['id'] for r in rows].index)
        scripts = [name for name in archive.namelist() if name.startswith('curl/')]
        assert len(scripts) == len(rows) == len(har['log']['entries'])
        text = b''.join(archive.read(name) for name in archive.namelist())
        assert b'dana@example.com' not in text
        assert json.loads(archive.read('versions.json'))['session'] == 'authenticated'
        assert json.loads(archive.read('timeline.json'))
        print(len(rows))
        """
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program, folder.file("a.zip")]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = String(decoding: (try pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && output == "\(count)\n", "\(output)")
    }
  }

  @Test func theSelectionAndNothingElseLeaves() async throws {
    try await CueRoutesTests.withBrowser { browser, _ in
      let rows = try Self.ids(browser)
      let chosen = [rows[1], rows[0]]
      for format in ["har", "json"] {
        let byAddress = try browser.call("GET", "/api/network/export?format=\(format)&ids=\(chosen.joined(separator: ",")),x")
        let byBody = try browser.call(
          "POST", "/api/network/export", #"{"format":"\#(format)","ids":["\#(chosen[0])","\#(chosen[1])"]}"#)
        for answer in [byAddress, byBody] {
          #expect(answer.status == 200 && answer.raw.header("x-export-rows") == "2")
          let entries = format == "har" ? answer.json?["log"]?["entries"]?.elements : answer.json?.elements
          #expect(Set(entries?.compactMap { ($0["id"] ?? $0["_id"])?.string } ?? []) == Set(chosen))
        }
      }
      let filtered = try browser.call("GET", "/api/network/export?format=json&endpoint=app_config")
      #expect(filtered.json?.elements.isEmpty == false)
      #expect(filtered.json?.elements.allSatisfy { $0["endpoint"]?.string == "app_config" } == true)
      let none = try browser.call("GET", "/api/network/export?format=har&ids=none")
      #expect(none.json?["log"]?["entries"]?.elements.isEmpty == true)
      for wrong in ["format=pdf", "status=abc", "format=zip&limit=0"] {
        #expect(try browser.call("GET", "/api/network/export?\(wrong)").status == 400)
      }
      #expect(try browser.call("POST", "/api/network/export", #"{"format":"zip"}"#).status == 400)
      #expect(try browser.call("POST", "/api/network/export", #"{"format":"exe","ids":[]}"#).status == 400)
    }
  }

  @Test func whatBecameALiveSecretLaterLeavesMasked() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      // Written before it is known to be a secret, and in hexadecimal, which looks like nothing in particular.
      let name = "a@b.co"
      let shown = "6140622e636f"
      let answer = try browser.call(
        "POST", "/api/network/requests",
        #"{"method":"GET","path":"/rpc/x/\#(shown)","auth":false}"#)
      let id = try #require(answer.json?["id"]?.string)
      // A row in progress would be masked again when it ends.
      var state: String?
      for _ in 1...10_000 where state == nil || state == "pending" {
        state = try browser.call("GET", "/api/network/\(id)").json?["state"]?.string
      }
      #expect(state == "failure")
      #expect(try browser.call("GET", "/api/network/\(id)/curl").status == 200)
      #expect(try browser.call("GET", "/api/network/export?format=har").status == 200)
      _ = try browser.call("POST", "/api/login/code", #"{"identifier":"\#(name)"}"#)
      for format in ["zip", "har", "json"] {
        let export = try browser.call("GET", "/api/network/export?format=\(format)")
        #expect(export.status == 200 && !export.raw.text.contains(shown), "\(format)")
        if format == "json" { #expect(export.raw.text.contains("/rpc/x/‹")) }
      }
      for copy in ["curl", "swift", "markdown"] {
        let text = try browser.call("GET", "/api/network/\(id)/\(copy)")
        #expect(text.status == 200 && !text.raw.text.contains(shown), "\(copy)")
      }
    }
  }

  @Test func aRowIsCopiedAsText() async throws {
    try await CueRoutesTests.withBrowser { browser, _ in
      let rows = try browser.call("GET", "/api/network?endpoint=me").json?["events"]?.elements ?? []
      let id = try #require(rows.last?["id"]?.string)
      let curl = try browser.call("GET", "/api/network/\(id)/curl")
      #expect(curl.status == 200 && curl.raw.header("content-type") == "text/plain; charset=utf-8")
      #expect(curl.raw.text.hasPrefix("# Placeholders for masked values: ") && curl.raw.text.contains("ACCESS_TOKEN"))
      #expect(curl.raw.text.contains("\ncurl --url 'https://127.0.0.1:") && curl.raw.text.contains(#"'"$ACCESS_TOKEN""#))
      #expect(try browser.call("GET", "/api/network/\(id)/swift").raw.text.contains("URLSession.shared.data"))
      let report = try browser.call("GET", "/api/network/\(id)/markdown")
      #expect(
        report.raw.header("content-type") == "text/markdown; charset=utf-8" && report.raw.text.hasPrefix("### `GET /rpc/me`"))
    }
  }
}
