import HTTPTypes
package import Server
import Wire

/// The page for a request that the server rejected, usually because of its cookies, with a way to clear them.
package enum RefusedPage {
  /// The path that clears the cookies.
  static let clearPath = "/clear-cookies"

  /// The response to a request that reached no route: a page if a browser asked for one, otherwise a problem.
  package static func refusal(_ request: RefusedRequest) -> Response {
    let isCurable = request.status == .requestHeaderFieldsTooLarge || request.status == .badRequest
    guard isCurable, let head = request.partialHead, isPage(head, request.status) else { return Problem.refusal(request.status) }
    // This request carries the same cookies, so it needs a response anyway.
    if head.path == clearPath, head.fields[.secFetchSite].map({ $0 == "same-origin" || $0 == "none" }) ?? true {
      return cleared
    }
    return page(request.status)
  }

  /// The response to a request to clear the cookies that was not rejected.
  ///
  /// A foreign page that leads here clears nothing: it would remove the cookies of all ports of the host.
  static func clearing(_ fields: HTTPFields) -> Response {
    let comesFromHere = fields[.secFetchSite] == "same-origin" || fields[.secFetchSite] == "none"
    return comesFromHere && fields[.secFetchDest] == "document" ? cleared : page(.ok)
  }

  private static var cleared: Response {
    var response = Response.redirect(to: "/")
    response.headers[.cacheControl] = "no-store"
    response.headers[.clearSiteData] = "\"cookies\""
    return response
  }

  /// Whether a browser requests a page, as far as is known: cookies can come before the fields that show it.
  private static func isPage(_ head: PartialHead, _ status: HTTPResponse.Status) -> Bool {
    guard head.method == .get, !["/api", "/assets"].contains(where: { head.path == $0 || head.path.hasPrefix("\($0)/") })
    else { return false }
    if let destination = head.fields[.secFetchDest] { return destination == "document" }
    if let accepted = head.fields[.accept] { return accepted.lowercased().contains("text/html") }
    return status == .requestHeaderFieldsTooLarge
  }

  /// The page has no style sheet or script, because a request for either would be rejected too.
  private static func page(_ status: HTTPResponse.Status) -> Response {
    let reason =
      switch status {
      case .requestHeaderFieldsTooLarge:
        "Your browser sent more cookies than Understudy accepts. Programs on other ports of this address share its cookies."
      case .badRequest: "Your browser sent a request that Understudy could not read. A damaged cookie can cause this."
      default: "If pages of Understudy do not open, too many cookies of other programs on this address can be the cause."
      }
    let text = """
      <!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
          <title>This page could not be opened · Understudy</title>
          <link rel="icon" href="data:,">
        </head>
        <body>
          <main>
            <h1>This page could not be opened</h1>
            <p>\(reason)</p>
            <p><a id="clear-cookies" href="\(clearPath)">Clear the cookies and open Understudy</a></p>
            <p>This clears the cookies of every program on this address. Your devices in Understudy stay, and so do their sessions.</p>
          </main>
        </body>
      </html>

      """
    return Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: .bytes(Array(text.utf8)))
  }
}
