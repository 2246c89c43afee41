// @ts-check
/** Whether a language is written from right to left; pseudo-locales count as English. @param {string} code */
export const isRightToLeft = (code) => /^(ar|dv|fa|he|ps|sd|ug|ur|yi)$/.test(code);

/** The name of a language in that language, or its code if the name is unknown. @param {string} code */
export function endonym(code) {
  try {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return code;
  }
}

/** Lower case and without marks, so that "reseau" finds "Réseau". @param {string} text */
export const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
