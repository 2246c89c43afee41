import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b21ForgedAndForeignTokensAreRefused() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("forged@example.com")
    let other = try await BackendTarget.start()
    let foreign = try await other.signIn("forged@example.com")
    func part(_ json: String) -> String { Data(json.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "") }
    let claims = part(
      "{\"sub\":\"forged@example.com\",\"sid\":\"\(tokens.sessionID)\",\"nbf\":99999999999999,\"exp\":99999999999999}")
    for forged in [
      "\(part("{\"alg\":\"none\"}")).\(claims).", "\(part("{\"alg\":\"HS256\",\"kid\":\"../../dev/null\"}")).\(claims).AAAA",
      "\(part("{\"alg\":\"RS256\",\"jwk\":{}}")).\(claims).AAAA", tokens.refresh, tokens.sessionID, foreign.access,
      String(tokens.access.dropLast()), tokens.access + "=", tokens.access + "A", tokens.access.lowercased(), "null", "undefined",
      BackendTarget.developersToken,
    ] {
      let reply = try await target.me(forged)
      #expect(reply.status == 401 && reply.code == "invalid_token", "\(forged.prefix(8))")
      #expect(reply.field("www-authenticate") == "Bearer")
    }
    for refresh in [tokens.access, foreign.refresh, tokens.sessionID] {
      #expect(try await target.refresh(refresh).code == "invalid_token")
    }
    for fields in [
      ["Authorization: Basic \(tokens.access)"], ["Authorization: \(tokens.access)"], ["Cookie: access_token=\(tokens.access)"],
      ["X-Access-Token: \(tokens.access)"], ["Authorization: Bearer x", "Authorization: Bearer \(tokens.access)"],
    ] {
      #expect((400...401).contains(try await target.send("GET", "/rpc/me", fields: fields).status), "\(fields[0].prefix(15))")
    }
    #expect(try await target.send("GET", "/rpc/me?access_token=\(tokens.access)").status == 401)
    #expect(try await target.me(tokens.access).status == 200, "the real one is unaffected")
  }

  @Test func b22NobodyReachesAnothersThingsAndNothingGoesWithoutAToken() async throws {
    let target = try await Self.target()
    let mine = try await target.signIn("attacker@example.com")
    let victim = try await target.signIn("victim@example.com", device: "two")
    let account = try #require(try await target.me(victim.access, device: "two").json?["account_id"]?.string)
    let cues = try await target.send("GET", "/rpc/get_cues?profile_id=\(victim.profileID)", device: "two", token: victim.access)
    let cue = try #require(cues.json?["cues"]?.elements.first)
    let id = cue["cue_id"]?.string ?? ""
    let stamp = cue["updated_at"]?.string ?? ""
    let calls = [
      ("/rpc/set_active_profile", "{\"account_id\":\"\(account)\",\"language_code\":\"en\"}", "not_found"),
      ("/rpc/get_or_create_account_profile", "{\"account_id\":\"\(account)\",\"language_code\":\"de\"}", "not_found"),
      ("/rpc/shuffle_cues", "{\"profile_id\":\"\(victim.profileID)\"}", "profile_not_found"),
      (
        "/rpc/update_cue_stage", "{\"cue_id\":\"\(id)\",\"stage\":\"mastered\",\"base_updated_at\":\"\(stamp)\"}", "cue_not_found"
      ),
    ]
    for (path, body, code) in calls {
      let reply = try await target.post(path, body, mine)
      #expect(reply.status == 404 && reply.code == code, "\(path)")
      #expect(!reply.text.contains(id) && !reply.text.contains("prompt"), "an error reveals nothing of it")
    }
    let read = try await target.send("GET", "/rpc/get_cues?profile_id=\(victim.profileID)", token: mine.access)
    #expect(read.status == 404 && read.code == "profile_not_found")
    // Another user's token from one's own device, and vice versa.
    #expect(try await target.me(victim.access).code == "ErrDeviceNotRegistered")
    #expect(try await target.me(victim.access, device: "unheard-of").code == "ErrDeviceNotRegistered")
    let after = try await target.send("GET", "/rpc/get_cues?profile_id=\(victim.profileID)", device: "two", token: victim.access)
    #expect(after.field("etag") == cues.field("etag"), "nothing changed")
    let described = try #require(try await target.send("GET", "/swagger.json").json?["paths"])
    var closed = 0
    for (path, operations) in described.members {
      for (method, operation) in operations.members where operation["security"] != nil {
        let reply = try await target.send(method.uppercased(), path, method == "post" ? "{}" : nil)
        #expect(reply.status == 401 && reply.code == "invalid_token", "\(path)")
        closed += 1
      }
    }
    #expect(closed == 9)
  }

  @Test func b23NoCallListsOrEndsAnothersSessions() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("sessions@example.com")
    let other = try await target.signIn("others-sessions@example.com", device: "two")
    for path in ["/rpc/sessions", "/rpc/sessions/\(other.sessionID)", "/rpc/revoke_session", "/app/api/sessions", "/rpc/logout"] {
      for method in ["GET", "POST", "DELETE"] {
        let reply = try await target.send(
          method, path, method == "POST" ? "{\"session_id\":\"\(other.sessionID)\"}" : nil, token: tokens.access)
        #expect(reply.status == 404 && reply.code == "not_found")
      }
    }
    // A logout takes no id: additional parameters affect nobody else.
    #expect(try await target.post("/app/api/logout", "{\"session_id\":\"\(other.sessionID)\"}", tokens).status == 204)
    #expect(try await target.me(other.access, device: "two").status == 200)
  }

  @Test func b31APageInABrowserGetsNothing() async throws {
    let target = try await Self.target()
    let body = BackendTarget.body("browser@example.com")
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"] {
      for fields in [
        ["Origin: https://evil.example"], ["Origin: null"], ["Origin: \(target.origin)"], ["Sec-Fetch-Site: cross-site"],
        ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
      ] {
        let reply = try await target.send("POST", "/rpc/request_magic_link", body, fields: fields, type: type)
        #expect(reply.status == 403 && reply.code == "forbidden", "\(type) \(fields)")
      }
      if type != "application/json" {
        #expect(try await target.send("POST", "/rpc/request_magic_link", body, type: type).code == "unsupported_media_type")
      }
    }
    for host in ["evil.example", "evil.example:\(target.port)", "localhost.evil.example", "localhost.", "127.0.0.1.evil.example"]
    {
      let reply = try await target.send("POST", "/rpc/request_magic_link", body, host: host)
      #expect(reply.status == 403 && reply.code == "forbidden", "\(host)")
      let mail = try await target.send("GET", "/dev/inbox", token: BackendTarget.developersToken, host: host)
      #expect(mail.status == 403)
    }
    let preflight = try await target.send(
      "OPTIONS", "/rpc/request_magic_link",
      fields: [
        "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true",
      ])
    #expect(preflight.status == 403)
    for path in ["/dev/inbox", "/rpc/app_config", "/swagger.json", "/callback"] {
      let reply = try await target.send("GET", path, fields: ["Origin: https://evil.example"])
      #expect(!reply.fields.contains { $0.name.hasPrefix("access-control") })
      #expect(reply.status == (path == "/callback" ? 200 : 403))
    }
    #expect(try await target.mail(to: "browser@example.com", wait: 0).isEmpty)
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:\(target.port)", "[::1]:1"] {
      #expect(try await target.send("GET", "/rpc/app_config", host: host).status == 200, "\(host)")
    }
  }

  @Test func b32DevelopersRoutesNeedTheirToken() async throws {
    let target = try await Self.target()
    let closed = try await BackendTarget.start(hasDevelopers: false)
    let before = try await target.develop("POST", "/dev/limits", "{\"mode\":\"off\"}").sourceText
    for (one, tokens) in [
      (target, ["", "wrong", "token-of-the-developers-who-attac"]), (closed, ["", BackendTarget.developersToken]),
    ] {
      for path in ["/dev/inbox", "/dev/clock", "/dev/limits", "/dev/", "/dev/reset"] {
        for token in tokens {
          for (method, body) in [("GET", nil), ("POST", "{\"advance_seconds\":600}"), ("OPTIONS", nil)] {
            let reply = try await one.send(method, path, body, token: token)
            #expect(reply.status == 404 && reply.code == "not_found", "\(method) \(path)")
          }
        }
        let cookie = try await one.send(
          "GET", "\(path)?token=\(BackendTarget.developersToken)", fields: ["Cookie: token=\(BackendTarget.developersToken)"])
        #expect(cookie.status == 404)
      }
      for path in ["/rpc/inbox", "/rpc/clock", "/rpc/limits", "/rpc/dev/inbox", "/rpc/reset"] {
        #expect(try await one.send("GET", path, token: BackendTarget.developersToken).status == 404)
      }
    }
    #expect(try await target.develop("GET", "/dev/limits").sourceText == before)
  }
}
