import Testing

@testable import Storage

struct PostgreSQLAddressTests {
  @Test func beyondThisMachineTheServerMustProveItself() throws {
    let address = try PostgreSQLAddress("postgres://team@db.example:5433/understudy")
    #expect(
      address.keywords == [
        "host": "db.example", "port": "5433", "user": "team", "dbname": "understudy", "sslmode": "verify-full",
        "sslrootcert": "/etc/ssl/certs/ca-certificates.crt",
      ])
    #expect(address.shown == "db.example:5433/understudy")
    let own = try PostgreSQLAddress("postgresql://team@10.0.0.1/understudy?sslrootcert=/ca.pem&sslmode=verify-full")
    #expect(own.keywords["sslrootcert"] == "/ca.pem" && own.keywords["port"] == "5432")
    for mode in ["disable", "allow", "prefer", "require", "verify-ca", "VERIFY-FULL"] {
      #expect(throws: PostgreSQLAddress.Failure.unprotected) {
        try PostgreSQLAddress("postgres://team@db.example/understudy?sslmode=\(mode)")
      }
    }
    #expect(throws: PostgreSQLAddress.Failure.unprotected) {
      try PostgreSQLAddress("postgres://team@127.0.0.1.example/understudy?sslmode=disable")
    }
  }

  @Test func theTimeOfAConnectionIsBounded() throws {
    #expect(try PostgreSQLAddress("postgres://a@localhost/x").connectSeconds == 5)
    let address = try PostgreSQLAddress("postgres://a@localhost/x?connect_timeout=20")
    #expect(address.connectSeconds == 20 && address.keywords["connect_timeout"] == nil)
  }

  @Test func anAddressOfIPv6HasNoBracketsForTheLibrary() throws {
    #expect(try PostgreSQLAddress("postgres://a@[::1]/x").keywords["host"] == "::1")
  }

  @Test(arguments: [
    "postgres://a@localhost/x", "postgres://a@127.0.0.1/x", "postgres://a@127.3.2.1:5/x", "postgres://a@[::1]/x",
    "postgres://a@/x?host=/run/postgresql",
  ]) func onThisMachineTLSIsNotRequired(text: String) throws {
    #expect(try PostgreSQLAddress(text).keywords["sslmode"] == nil)
  }

  @Test(arguments: [
    "", "understudy", "http://a@localhost/x", "postgres://a@localhost", "postgres://a@localhost/", "postgres://a@localhost/x/y",
    "postgres://a@/x", "postgres://a@localhost/x?options=-c", "postgres://a@localhost/x?password=p",
    "postgres://a@localhost/x?host=",
    "postgres://a@localhost/x?connect_timeout=0", "postgres://a@localhost/x?connect_timeout=61",
    "postgres://a@localhost/x?connect_timeout=5s",
    "postgres://a@/x?host=/run/postgresql,db.example", "postgres://a@localhost,db.example/x",
  ]) func whatIsNoAddressIsRefused(text: String) {
    #expect(throws: PostgreSQLAddress.Failure.self) { try PostgreSQLAddress(text) }
  }

  @Test func aPasswordInItIsRefusedAndNotRepeated() {
    do throws(PostgreSQLAddress.Failure) {
      _ = try PostgreSQLAddress("postgres://a:secret-word@localhost/x")
      Issue.record("it was accepted")
    } catch {
      #expect(!"\(error)".contains("secret-word"))
    }
  }
}
