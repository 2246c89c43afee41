/// The cues that a new profile begins with: prompts in English, answers in the profile's language.
enum Deck {
  /// One cue's two sides.
  struct Card: Hashable, Sendable {
    /// What is asked, in English.
    let prompt: String
    /// What is to be said.
    let answer: String

    /// A card of its sides.
    init(_ prompt: String, _ answer: String) {
      self.prompt = prompt
      self.answer = answer
    }
  }

  /// The deck of a language that `app_config` tells; empty for any other.
  static func of(_ languageCode: String) -> [Card] {
    switch languageCode {
    case "en": english
    case "de": german
    case "fr": french
    case "es": spanish
    case "pl": polish
    case "ja": japanese
    case "ar": arabic
    case "he": hebrew
    default: []
    }
  }
}
