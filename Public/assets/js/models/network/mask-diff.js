// @ts-check The facts about the values behind masks such as `‹token:3f1c09ab›`: equal tags mean equal values.

/**
 * The relation of the values behind two masks: `same`, or `another`; `unknown` if the tags cannot be compared.
 * @typedef {{what: string, is: "same" | "another" | "unknown"}} MaskNote
 */

/** The words for which the pages have a name. */
const maskKinds = [
  "token",
  "code",
  "link",
  "email",
  "phone",
  "identifier",
  "signature",
  "key",
  "card",
  "header",
  "value",
];

/** The masks of a text. @param {string} text */
const masksOf = (text) => [...text.matchAll(/‹([a-z]+):([0-9a-f]{8})›/g)].map(([mask, what = ""]) => ({ mask, what }));

/**
 * The facts about the masks at the same places of two texts, each once.
 * @param {string} one
 * @param {string} other
 * @returns {MaskNote[]}
 */
export function maskNotes(one, other) {
  const [ours, theirs] = [masksOf(one), masksOf(other)];
  /** @type {Map<string, MaskNote>} */
  const notes = new Map();
  for (const [place, { mask, what }] of ours.entries()) {
    const partner = theirs[place];
    if (!partner || partner.what !== what) continue;
    /** @type {MaskNote} */
    const note = { what: maskKinds.includes(what) ? what : "value", is: mask === partner.mask ? "same" : "another" };
    notes.set(`${note.what} ${note.is}`, note);
  }
  return [...notes.values()];
}

/**
 * Whether the tags of two logs were made with the same key, as far as is known: other consoles use other keys.
 * @param {string} one everything of one log
 * @param {string} other
 */
export function areComparable(one, other) {
  const [ours, theirs] = [masksOf(one), masksOf(other)];
  if (!ours.length || !theirs.length) return true;
  const known = new Set(theirs.map(({ mask }) => mask));
  return ours.some(({ mask }) => known.has(mask));
}
