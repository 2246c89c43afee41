import Wire

/// The parser's results for an input that arrives in given pieces.
struct ParserTrace: Equatable {
  /// One request as far as it was parsed.
  struct Exchange: Equatable {
    var head: RequestHead
    var body: [UInt8] = []
    var isWhole = false
  }

  /// The requests in order.
  var requests: [Exchange] = []
  /// Why parsing stopped; nil if the parser needs more.
  var refusal: RequestError?
  /// The number of consumed bytes; 0 if the input was refused, because it may then depend on the pieces.
  var taken = 0
  /// Whether the last byte ended a request.
  var isBetweenRequests = false

  /// Feeds the pieces; `dropping` removes consumed bytes after each of them, as a connection does.
  init(_ bytes: [UInt8], pieces: [Int], dropping: Bool, limits: RequestLimits) {
    var parser = RequestParser(limits: limits)
    var buffer: [UInt8] = []
    var position = 0
    var fed = 0
    for length in pieces {
      buffer += bytes[fed..<(fed + length)]
      fed += length
      guard read(&parser, buffer, &position) else {
        refuseAgain(&parser, buffer, position)
        return
      }
      taken += position
      if dropping {
        buffer.removeFirst(position)
        position = 0
      } else {
        taken = position
      }
    }
    if dropping { taken = fed - buffer.count }
    isBetweenRequests = parser.isBetweenRequests
  }

  /// Consumes all available events; returns false after a refusal.
  private mutating func read(_ parser: inout RequestParser, _ buffer: [UInt8], _ position: inout Int) -> Bool {
    while true {
      let before = position
      do throws(RequestError) {
        let event = try parser.next(in: buffer, at: &position)
        require(position >= before && position <= buffer.count, "position \(before) to \(position) of \(buffer.count)")
        switch event {
        case .needMore: return true
        case .head(let head): requests.append(Exchange(head: head))
        case .body(let range):
          require(!range.isEmpty && range.lowerBound >= before && range.upperBound == position, "body \(range)")
          require(requests.last?.isWhole == false, "a body without a head")
          requests[requests.count - 1].body += buffer[range]
        case .end:
          require(requests.last?.isWhole == false, "an end without a head")
          requests[requests.count - 1].isWhole = true
        }
      } catch {
        refusal = error
        taken = 0
        return false
      }
    }
  }

  private func refuseAgain(_ parser: inout RequestParser, _ buffer: [UInt8], _ position: Int) {
    var position = position
    do throws(RequestError) {
      _ = try parser.next(in: buffer, at: &position)
      require(false, "went on after \(String(describing: refusal))")
    } catch {
      require(error == refusal, "refused by \(error) after \(String(describing: refusal))")
    }
  }
}
