// @ts-check
import { copyText } from "../helpers/copy.js";
import { h } from "../helpers/dom.js";
import { t } from "../helpers/i18n.js";
import { childCount, childNodes, isContainer, writeSource, WrittenNumber } from "../models/json-source.js";

/** @typedef {import("../models/json-source.js").TreeNode} TreeNode */

const page = 100;
const longest = 2000;

/** A JSON value as a tree whose children are made when they are opened; keys as in the ARIA tree pattern. */
export class JSONTree extends HTMLElement {
  /** Shows this value. @param {import("../models/json-source.js").JSONValue} value @param {string} label */
  show(value, label) {
    /** @type {WeakMap<Element, TreeNode>} */
    this.nodes = new WeakMap();
    const copyValue = h("button", { type: "button", class: "button button-quiet button-small" }, t("tree.copy_value"));
    const copyPointer = h(
      "button",
      { type: "button", class: "button button-quiet button-small" },
      t("tree.copy_pointer"),
    );
    copyValue.addEventListener("click", () => void copyText(copyValue, this.copyOf(this.active)));
    copyPointer.addEventListener("click", () => void copyText(copyPointer, this.active?.pointer ?? ""));
    this.pointer = h("code", { class: "grow truncate ltr small muted" });
    this.tree = h("ul", { role: "tree", class: "tree mono", "aria-label": label, dir: "ltr" });
    const root = this.item({ name: null, pointer: "", value }, 1);
    this.tree.append(root);
    this.replaceChildren(h("div", { class: "tree-bar row" }, this.pointer, copyValue, copyPointer), this.tree);
    this.toggle(root, true);
    this.activate(root, false);
    this.tree.addEventListener("keydown", (event) => this.key(event));
    this.tree.addEventListener("click", (event) => this.pressed(event));
  }

  /** @returns {TreeNode | undefined} */
  get active() {
    const item = this.tree?.querySelector('[tabindex="0"]');
    return item ? this.nodes?.get(item) : undefined;
  }

  /** @param {TreeNode | undefined} node */
  copyOf(node) {
    if (!node) return "";
    return typeof node.value === "string" ? node.value : writeSource(node.value);
  }

  /** @param {TreeNode} node @param {number} level @returns {HTMLLIElement} */
  item(node, level) {
    const count = childCount(node.value);
    const item = h(
      "li",
      {
        role: "treeitem",
        tabindex: "-1",
        "aria-level": level,
        "aria-expanded": isContainer(node.value) && count ? "false" : null,
      },
      h(
        "span",
        { class: "tree-line" },
        node.name === null
          ? null
          : h("span", { class: typeof node.name === "number" ? "tree-index" : "tree-key" }, String(node.name)),
        node.name === null ? null : h("span", { class: "faint" }, ": "),
        valueText(node.value, count),
      ),
    );
    this.nodes?.set(item, node);
    return item;
  }

  /** @param {HTMLElement} item @param {boolean} isOpen */
  toggle(item, isOpen) {
    const node = this.nodes?.get(item);
    if (!node || !item.hasAttribute("aria-expanded")) return;
    item.setAttribute("aria-expanded", String(isOpen));
    let group = item.querySelector(":scope > ul");
    if (isOpen && !group) {
      group = h("ul", { role: "group" });
      item.append(group);
      this.fill(group, node, Number(item.getAttribute("aria-level")) + 1, 0);
    }
    if (group instanceof HTMLElement) group.hidden = !isOpen;
  }

  /** @param {Element} group @param {TreeNode} node @param {number} level @param {number} from */
  fill(group, node, level, from) {
    group.append(...childNodes(node, from, page).map((child) => this.item(child, level)));
    const left = childCount(node.value) - from - page;
    if (left <= 0) return;
    const more = h(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": level, class: "tree-more" },
      h("span", { class: "tree-line" }, t("tree.more", { n: left })),
    );
    this.nodes?.set(more, node);
    more.dataset.from = String(from + page);
    group.append(more);
  }

  /** @param {HTMLElement} item @param {boolean} [isFocused] */
  activate(item, isFocused = true) {
    this.tree?.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.tabIndex = 0;
    if (this.pointer) this.pointer.textContent = this.nodes?.get(item)?.pointer || "/";
    if (isFocused) item.focus();
  }

  /** @param {HTMLElement} more */
  showMore(more) {
    const node = this.nodes?.get(more);
    const group = more.parentElement;
    if (!node || !group) return;
    const place = group.children.length - 1;
    more.remove();
    this.fill(group, node, Number(more.getAttribute("aria-level")), Number(more.dataset.from));
    const first = group.children[place];
    if (first instanceof HTMLElement) this.activate(first);
  }

  /** @param {MouseEvent} event */
  pressed(event) {
    const item = event.target instanceof Element ? event.target.closest('[role="treeitem"]') : null;
    if (!(item instanceof HTMLElement)) return;
    if (item.dataset.from) return this.showMore(item);
    this.activate(item);
    // A selection of text is not a wish to fold.
    if (!getSelection()?.toString()) this.toggle(item, item.getAttribute("aria-expanded") === "false");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = event.target;
    if (!(item instanceof HTMLElement) || !this.tree) return;
    const items = [...this.tree.querySelectorAll('[role="treeitem"]')].filter((one) =>
      !one.parentElement?.closest("[hidden]")
    );
    const at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    /** @type {Element | null | undefined} */
    let target = null;
    const steps = { ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items.at(-1) };
    if (Object.hasOwn(steps, event.key)) target = steps[/** @type {keyof typeof steps} */ (event.key)];
    else if (event.key === "ArrowRight") {
      if (expanded === "false") this.toggle(item, true);
      else if (expanded) target = items[at + 1];
    } else if (event.key === "ArrowLeft") {
      if (expanded === "true") this.toggle(item, false);
      else target = item.parentElement?.closest('[role="treeitem"]');
    } else if (event.key === "Enter" || event.key === " ") {
      if (item.dataset.from) this.showMore(item);
      else this.toggle(item, expanded === "false");
    } else if (event.key === "*") {
      for (const sibling of item.parentElement?.children ?? []) {
        if (sibling instanceof HTMLElement) this.toggle(sibling, true);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (target instanceof HTMLElement) this.activate(target);
  }
}

/** @param {import("../models/json-source.js").JSONValue} value @param {number} count */
function valueText(value, count) {
  if (value instanceof WrittenNumber) return h("span", { class: "tree-number" }, value.source);
  if (Array.isArray(value)) return h("span", { class: "faint" }, `[${t("tree.items", { n: count })}]`);
  if (value !== null && typeof value === "object") {
    return h("span", { class: "faint" }, `{${t("tree.members", { n: count })}}`);
  }
  if (typeof value !== "string") return h("span", { class: "tree-literal" }, String(value));
  const text = JSON.stringify(value.slice(0, longest));
  const place = h("span", { class: "tree-string" }, text);
  if (value.length > longest) place.append(h("span", { class: "faint" }, ` ${t("tree.cut", { n: value.length })}`));
  return place;
}

customElements.define("json-tree", JSONTree);
