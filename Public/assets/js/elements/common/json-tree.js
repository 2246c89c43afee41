// @ts-check
import { copyText } from "../../helpers/copy.js";
import { h, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { JSONSource } from "../../models/network/json-source.js";

/**
 * @typedef {import("../../models/network/json-source.js").TreeNode} TreeNode
 * @typedef {import("../../models/network/json-source.js").ValueNode} ValueNode
 */

const longest = 2000;
/** A shorter tree is open as a whole. */
const mostLines = 20;

/** A JSON text as a searchable tree whose items are created when they are opened; keys follow the ARIA tree pattern. */
export class JSONTree extends HTMLElement {
  source = new JSONSource("null");
  /** Further facts about a text, by its value and its name. @type {(value: string, name: string) => Node[]} */
  notes = () => [];
  /** @type {WeakMap<Element, TreeNode>} */
  #nodes = new WeakMap();
  /** @type {number[]} */
  #found = [];
  #foundAt = -1;
  #searched = "";

  /** Shows this JSON. @param {JSONSource} source @param {string} label */
  show(source, label) {
    this.source = source;
    /** @param {string} key @param {() => string} value */
    const copy = (key, value) => {
      const press = (/** @type {MouseEvent} */ { currentTarget }) => void copyText(/** @type {HTMLElement} */ (currentTarget), value());
      return plainButton("button button-quiet button-small", { onclick: press }, t(key));
    };
    this.pointer = h("code", { class: "grow truncate ltr small muted" });
    this.search = h("input", {
      type: "search",
      class: "input input-small",
      "aria-label": t("tree.search"),
      placeholder: t("tree.search"),
      dir: "auto",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.search.addEventListener("keydown", (event) => this.#searchKey(event));
    this.search.addEventListener("input", () => this.#showFound());
    this.count = h("span", { class: "small muted nums", role: "status" });
    this.tree = h("ul", { role: "tree", class: "tree mono", "aria-label": label, dir: "ltr" });
    const root = this.#item(this.source.root, 1);
    this.tree.append(root);
    this.replaceChildren(
      h("div", { class: "tree-bar row" }, this.search, this.count),
      h(
        "div",
        { class: "tree-bar row" },
        this.pointer,
        copy("tree.copy_value", () => this.#copyOf(this.#active)),
        copy("tree.copy_pointer", () => this.#active?.pointer ?? ""),
      ),
      this.tree,
    );
    this.#openTop(root);
    this.#activate(root, false);
    this.tree.addEventListener("keydown", (event) => this.#key(event));
    this.tree.addEventListener("click", (event) => this.#pressed(event));
  }

  /** Opens each level that keeps the tree short, and each value that is the only one on its level. @param {HTMLElement} root */
  #openTop(root) {
    let [level, lines] = [[root], 1];
    while (level.length) {
      const closed = level.filter((item) => item.hasAttribute("aria-expanded"));
      lines += closed.reduce((sum, item) => sum + this.source.count(this.#nodes.get(item) ?? this.source.root), 0);
      if (lines >= mostLines && level.length > 1) return;
      for (const item of closed) this.#toggle(item, true);
      level = closed.flatMap((item) => /** @type {HTMLElement[]} */ ([...item.querySelectorAll(":scope > ul > li")]));
    }
  }

  /** @returns {TreeNode | undefined} */
  get #active() {
    const item = this.tree?.querySelector('[tabindex="0"]');
    return item ? this.#nodes.get(item) : undefined;
  }

  /** @param {TreeNode | undefined} node */
  #copyOf(node) {
    if (!node) return "";
    const value = "of" in node ? node.of : node;
    return this.source.kind(value) === "string" ? this.source.string(value.at) : this.source.pretty(value);
  }

  /** @param {TreeNode} node @param {number} level @returns {HTMLLIElement} */
  #item(node, level) {
    const isOpenable = this.source.isContainer(node) && this.source.count(node) > 0;
    const name = "of" in node ? null : node.name;
    const item = h(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-expanded": isOpenable ? "false" : null },
      h(
        "span",
        { class: "tree-line" },
        name === null ? null : h("span", { class: typeof name === "number" ? "tree-index" : "tree-key" }, String(name)),
        name === null ? null : h("span", { class: "faint" }, ": "),
        "of" in node
          ? h("span", { class: "tree-part" }, t("tree.part", { from: node.from, to: node.to - 1 }))
          : this.#value(node),
      ),
    );
    this.#nodes.set(item, node);
    return item;
  }

  /** @param {ValueNode} node */
  #value(node) {
    const { source } = this;
    const kind = source.kind(node);
    if (kind === "array") return h("span", { class: "faint" }, `[${t("tree.items", { n: source.count(node) })}]`);
    if (kind === "object") return h("span", { class: "faint" }, `{${t("tree.members", { n: source.count(node) })}}`);
    const written = source.written(node);
    const place = h(
      "span",
      { class: `tree-${kind}`, "data-secret": kind === "literal" ? null : "" },
      written.slice(0, longest),
    );
    if (written.length > longest) place.append(this.#rest(place, written));
    const notes = kind === "string" ? this.notes(written, String(node.name ?? "")) : [];
    return notes.length ? h("span", {}, place, ...notes) : place;
  }

  /** @param {HTMLElement} place @param {string} written */
  #rest(place, written) {
    return plainButton("link", {
      tabindex: "-1",
      onclick: (/** @type {MouseEvent} */ event) => {
        event.stopPropagation();
        place.replaceChildren(written);
      },
    }, ` ${t("tree.cut", { n: written.length })}`);
  }

  /** @param {HTMLElement} item @param {boolean} isOpen */
  #toggle(item, isOpen) {
    const node = this.#nodes.get(item);
    if (!node || !item.hasAttribute("aria-expanded")) return;
    item.setAttribute("aria-expanded", String(isOpen));
    let group = item.querySelector(":scope > ul");
    if (isOpen && !group) {
      const level = Number(item.getAttribute("aria-level")) + 1;
      group = h("ul", { role: "group" }, ...this.source.children(node).map((child) => this.#item(child, level)));
      item.append(group);
      // Open the first part of a large container.
      const first = group.firstElementChild;
      const child = first && this.#nodes.get(first);
      if (first instanceof HTMLElement && child && "of" in child) this.#toggle(first, true);
    }
    if (group instanceof HTMLElement) group.hidden = !isOpen;
  }

  /** @param {HTMLElement} item @param {boolean} [isFocused] */
  #activate(item, isFocused = true) {
    this.tree?.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.tabIndex = 0;
    if (this.pointer) this.pointer.textContent = this.#nodes.get(item)?.pointer || "/";
    if (isFocused) item.focus();
  }

  /** @param {MouseEvent} event */
  #pressed(event) {
    const item = event.target instanceof Element ? event.target.closest('[role="treeitem"]') : null;
    if (!(item instanceof HTMLElement)) return;
    this.#activate(item);
    // Selecting text does not fold the item.
    if (!getSelection()?.toString()) this.#toggle(item, item.getAttribute("aria-expanded") === "false");
  }

  /** @param {KeyboardEvent} event */
  #searchKey(event) {
    if (event.key === "Escape" && this.search?.value) {
      this.search.value = "";
      this.#showFound();
    } else if (event.key === "Enter") this.#next(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") this.#focusActive();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #focusActive() {
    const item = this.tree?.querySelector('[tabindex="0"]');
    if (item instanceof HTMLElement) item.focus();
  }

  /** Searches for the typed text; Enter moves between the places. */
  #showFound() {
    const needle = this.search?.value ?? "";
    if (needle !== this.#searched) {
      this.#searched = needle;
      this.#found = this.source.find(needle);
      this.#foundAt = -1;
    }
    if (this.count) {
      this.count.textContent = !needle
        ? ""
        : this.#foundAt < 0
        ? t("tree.found", { n: this.#found.length })
        : t("tree.found_at", { at: this.#foundAt + 1, n: this.#found.length });
    }
  }

  /** Opens the tree down to the next place. @param {number} step */
  #next(step) {
    this.#showFound();
    if (!this.#found.length) return;
    this.#foundAt = (this.#foundAt + step + this.#found.length) % this.#found.length;
    if (this.#foundAt < 0) this.#foundAt = this.#found.length - 1;
    this.#showFound();
    let item = this.tree?.firstElementChild;
    for (const node of this.source.pathTo(this.#found[this.#foundAt] ?? 0).slice(1)) {
      if (!(item instanceof HTMLElement)) return;
      this.#toggle(item, true);
      item = [...item.querySelectorAll(":scope > ul > li")].find((child) => {
        const one = this.#nodes.get(child);
        return one && this.source.begin(one) === this.source.begin(node) && ("of" in one) === ("of" in node);
      });
    }
    if (!(item instanceof HTMLElement)) return;
    this.#activate(item, false);
    item.querySelector(".tree-line")?.scrollIntoView({ block: "center" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = event.target;
    if (!(item instanceof HTMLElement) || !this.tree) return;
    const expanded = item.getAttribute("aria-expanded");
    /** @type {Element | null | undefined} */
    let target = null;
    const items = () =>
      [...(this.tree?.querySelectorAll('[role="treeitem"]') ?? [])].filter((one) =>
        !one.parentElement?.closest("[hidden]")
      );
    /** @param {number} step */
    const beside = (step) => items()[items().indexOf(item) + step];
    if (event.key === "ArrowDown") target = beside(1);
    else if (event.key === "ArrowUp") target = beside(-1);
    else if (event.key === "Home") target = items()[0];
    else if (event.key === "End") target = items().at(-1);
    else if (event.key === "ArrowRight") {
      if (expanded === "false") this.#toggle(item, true);
      else if (expanded) target = beside(1);
    } else if (event.key === "ArrowLeft") {
      if (expanded === "true") this.#toggle(item, false);
      else target = item.parentElement?.closest('[role="treeitem"]');
    } else if (event.key === "Enter" || event.key === " ") this.#toggle(item, expanded === "false");
    else if (event.key === "*") {
      for (const sibling of item.parentElement?.children ?? []) {
        if (sibling instanceof HTMLElement) this.#toggle(sibling, true);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (target instanceof HTMLElement) this.#activate(target);
  }
}

customElements.define("json-tree", JSONTree);
