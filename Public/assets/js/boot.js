// Classic, blocking and tiny: theme, language and direction are on <html> before the first paint.
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

  const known = ["en", "en-XA", "ar-XB"];
  const asked = new URLSearchParams(location.search).get("lang");
  const language = [asked, stored("understudy.language")].find((name) => name && known.includes(name)) ?? "en";
  if (asked && known.includes(asked)) {
    try {
      localStorage.setItem("understudy.language", asked);
    } catch {
      // Storage is refused: the choice then holds for this page alone.
    }
  }
  root.lang = language;
  root.dir = language.startsWith("ar") ? "rtl" : "ltr";
})();
