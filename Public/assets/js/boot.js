// Classic, blocking and tiny: theme, language and direction are on <html> before the first paint, and the words are on their way.
(() => {
  const root = document.documentElement;
  /** @param {string} key */
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const theme = stored("understudy.theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const query = new URLSearchParams(location.search);
  if (query.has("present") || stored("understudy.present")) root.dataset.present = "";

  const known = ["en", "de", "fr", "es", "pl", "ja", "ar", "he", "en-XA", "ar-XB"];
  const asked = query.get("lang");
  const wishes = [asked, stored("understudy.language"), ...navigator.languages.map((name) => name.split("-")[0])];
  const language = wishes.find((name) => name && known.includes(name)) ?? "en";
  if (asked && known.includes(asked)) {
    try {
      localStorage.setItem("understudy.language", asked);
    } catch {
      // Storage is refused: the choice then holds for this page alone.
    }
  }
  root.lang = language;
  root.dir = /^(ar|he)/.test(language) ? "rtl" : "ltr";
  // The page's own words are English: in another language it is not shown before it is translated.
  if (language !== "en") root.dataset.waiting = "";

  const file = language.includes("-X") ? "en" : language;
  for (const name of [file, ...(root.dataset.words ? [`${file}.${root.dataset.words}`] : [])]) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "fetch", href: `/assets/locales/${name}.json`, crossOrigin: "" });
    document.head.append(link);
  }
})();
