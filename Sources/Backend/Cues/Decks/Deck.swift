/// The cues of a new profile: prompts in English, answers in the language of the profile.
enum Deck {
  struct Card: Hashable, Sendable {
    let prompt: String
    let answer: String

    init(_ prompt: String, _ answer: String) {
      self.prompt = prompt
      self.answer = answer
    }
  }

  /// Returns the deck of a supported language, empty for any other.
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
