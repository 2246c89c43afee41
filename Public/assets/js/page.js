// @ts-check
// What every page does once: words, then the state and the stream.
import { loadAsset } from "./api.js";
import { events } from "./events.js";
import { translate, useWords, Words } from "./helpers/i18n.js";
import { session } from "./session.js";

async function start() {
  try {
    useWords(new Words(await loadAsset("/assets/locales/en.json"), document.documentElement.lang || "en"));
    translate(document);
  } catch {
    // The English of the page stands in for the catalogue.
  }
  events.start();
  session.start();
}

/** Resolves when the words are in place and the state is on its way. */
export const ready = start();
