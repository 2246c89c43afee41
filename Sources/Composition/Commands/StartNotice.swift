import Console

/// The notice on the terminal from which a console was started.
struct StartNotice {
  /// The console's address.
  let home: Origin
  /// The address for a browser, with the access token if one is needed.
  let page: String
  /// The address of the console that used the data folder before; nil for new data.
  let earlier: Origin?
  let dataFolder: String?
  /// Whether the page opens in the browser.
  let opensBrowser: Bool

  /// The lines.
  var lines: [String] {
    var lines = ["Understudy runs at \(page)" + (opensBrowser ? ", which opens in the browser." : ". Open it in a browser.")]
    if home.port != ServeCommand.usualPort { lines.append("Port \(ServeCommand.usualPort) is in use, so it took \(home.port).") }
    if let earlier, earlier != home { lines.append(Self.text(of: earlier, home: home)) }
    if let dataFolder { lines.append("Its data is in \(dataFolder).") }
    lines.append("Press Ctrl-C to stop it.")
    return lines
  }

  private static func text(of earlier: Origin, home: Origin) -> String {
    let fact = "Devices that you created at \(earlier.text) are only shown there."
    guard earlier.scheme == "http", earlier.isLoopback else { return fact }
    return earlier.port == ServeCommand.usualPort
      ? "\(fact) To use them, stop what runs on port \(earlier.port) and start Understudy again."
      : "\(fact) To use them, stop this console and run: understudy serve --port \(earlier.port)"
  }
}
