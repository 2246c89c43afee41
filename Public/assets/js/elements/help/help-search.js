// @ts-check
import { isTyping, need, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { hasAll, placesOf, wordsOf } from "../../models/help/help-search.js";
import { LiveElement, ready } from "../../page.js";

/** The search of the help: shows the sections that have all the words, and marks these. Enter leads to the first section. */
class HelpSearch extends LiveElement {
  /** @type {HTMLElement[]} */
  #sections = [];

  async connectedCallback() {
    const { signal } = this;
    this.#sections = [...document.querySelectorAll("article section[id]")].filter((one) => one instanceof HTMLElement);
    const field = need(this, "#help-query", HTMLInputElement);
    field.addEventListener("input", () => void ready.then(() => this.#search(field.value)), { signal });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.#goTo(this.#sections.find((one) => !one.hidden));
    }, { signal });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || isTyping(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      field.focus();
      field.select();
    }, { signal });
    // A link may lead to a section that the search has hidden.
    addEventListener("hashchange", () => this.#reveal(field), { signal });
    await ready;
    if (!field.value) field.value = new URLSearchParams(location.search).get("q") ?? "";
    if (field.value) this.#search(field.value);
  }

  /** @param {string} query */
  #search(query) {
    const words = wordsOf(query);
    for (const section of this.#sections) section.hidden = !hasAll(section.textContent, words);
    const shown = this.#sections.filter((one) => !one.hidden);
    for (const link of document.querySelectorAll('.help-contents a[href^="#"]')) {
      link.parentElement?.toggleAttribute("hidden", !shown.some((one) => link.getAttribute("href") === `#${one.id}`));
    }
    const text = shown.length ? t("help.found", { n: shown.length }) : t("help.none", { text: query.trim() });
    need(this, "#help-found", HTMLElement).textContent = words.length ? text : "";
    setParameter("q", query.trim());
    mark(shown, words);
  }

  /** @param {HTMLInputElement} field */
  #reveal(field) {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (!target || target.checkVisibility()) return;
    field.value = "";
    this.#search("");
    target.scrollIntoView();
  }

  /** @param {HTMLElement | undefined} section */
  #goTo(section) {
    const heading = section?.querySelector("h2");
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  }
}

/** Marks the words in the sections, where the browser can. @param {HTMLElement[]} sections @param {string[]} words */
function mark(sections, words) {
  if (!("highlights" in CSS)) return;
  const marked = new Highlight();
  for (const section of words.length ? sections : []) {
    const walk = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (const [start, end] of placesOf(node.textContent ?? "", words)) {
        marked.add(new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end }));
      }
    }
  }
  CSS.highlights.set("help", marked);
}

customElements.define("help-search", HelpSearch);
