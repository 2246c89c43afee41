// Classic, blocking and small: sets theme, language and direction on <html> before the first paint, and starts loading the words.
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

  const list = document.querySelector("meta[name=languages]")?.getAttribute("content") ?? "en";
  const known = list.split(" ").map((one) => one.split("=")[0]);
  const asked = query.get("lang");
  const wishes = [asked, stored("understudy.language"), ...navigator.languages.map((name) => name.split("-")[0])];
  const language = wishes.find((name) => name && known.includes(name)) ?? "en";
  if (asked && known.includes(asked)) {
    try {
      localStorage.setItem("understudy.language", asked);
    } catch {
      // Without storage, the choice is for this page only.
    }
  }
  root.lang = language;
  root.dir = /^(ar|dv|fa|he|ps|sd|ug|ur|yi)\b/.test(language) ? "rtl" : "ltr";
  // The texts in the HTML are English: in another language the page stays hidden until it is translated.
  if (language !== "en") root.dataset.waiting = "";

  const folder = language.includes("-X") ? "en" : language;
  for (const section of ["common", root.dataset.words]) {
    if (!section || "offline" in root.dataset) continue;
    const link = document.createElement("link");
    const href = `/assets/locales/${folder}/${section}.json`;
    Object.assign(link, { rel: "preload", as: "fetch", href, crossOrigin: "" });
    document.head.append(link);
  }
})();
