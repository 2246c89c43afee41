import HTTPTypes
import JSON
import Testing

@testable import BackendFile

/// Recorded exchanges with a product: `> ` begins a line of a request, `< ` one of an answer, `## N.` a step.
struct Transcript {
  struct Message {
    var first = ""
    var headers = HTTPFields()
    var body = ""
  }

  struct Step {
    var request = Message()
    var answer = Message()

    var received: ReceivedAnswer {
      get throws {
        let words = answer.first.split(separator: " ")
        let status = try #require(words.first.flatMap { Int($0) })
        return Samples.answer(status, answer.body, headers: answer.headers)
      }
    }
  }

  private var steps: [Int: Step] = [:]

  init(_ name: String) throws {
    var number = 0
    var last = ""
    for line in String(decoding: try Samples.bytes("Tests/Fixtures/backends/\(name).txt"), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("## ") {
        number = try #require(Int(line.dropFirst(3).prefix { $0 != "." }))
        steps[number] = Step()
      } else if line.hasPrefix("> ") {
        steps[number]?.request.add(line.dropFirst(2))
        last = ">"
      } else if line.hasPrefix("< ") {
        steps[number]?.answer.add(line.dropFirst(2))
        last = "<"
      } else if !line.isEmpty, !line.hasPrefix("#"), last == "<" {
        steps[number]?.answer.body += "\n" + line
      }
    }
  }

  func step(_ number: Int) throws -> Step { try #require(steps[number]) }
}

extension Transcript.Message {
  fileprivate mutating func add(_ line: Substring) {
    if first.isEmpty {
      first = String(line)
    } else if body.isEmpty, let match = line.wholeMatch(of: /([a-z0-9-]+): (.*)/),
      let name = HTTPField.Name(String(match.output.1))
    {
      headers.append(HTTPField(name: name, value: String(match.output.2)))
    } else {
      body += line
    }
  }
}
