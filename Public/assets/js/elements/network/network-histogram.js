// @ts-check
import { h, need } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { histogram, outline } from "../../models/network/histogram.js";

/** @typedef {import("../../models/network/row-store.js").RowStore} RowStore */

const bins = 120;
const space = "http://www.w3.org/2000/svg";

/**
 * All rows by time, whatever the filter shows, with failures and faults highlighted. A span is chosen by dragging or with the two
 * sliders; dispatches `brush` with `{from, to}` in milliseconds, or null for all.
 */
export class NetworkHistogram extends HTMLElement {
  /** @type {RowStore | null} */
  store = null;
  /** @type {{from: number, to: number} | null} */
  span = null;
  /** @type {import("../../models/network/histogram.js").Histogram | null} */
  counts = null;
  #isWaiting = false;

  connectedCallback() {
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 ${bins} 100`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    this.paths = ["all", "failed", "faulted"].map((name) => {
      const path = document.createElementNS(space, "path");
      path.setAttribute("class", `histogram-${name}`);
      svg.append(path);
      return path;
    });
    this.chosen = h("span", { class: "brush", hidden: true });
    this.edges = /** @type {const} */ (["from", "to"]).map((edge) =>
      h("span", {
        class: `brush-edge brush-${edge}`,
        role: "slider",
        tabindex: 0,
        "aria-label": t(`histogram.${edge}`),
        // The page's words may load after this element.
        "data-i18n-attr": `aria-label:histogram.${edge}`,
        "aria-valuemin": 0,
        "aria-valuemax": bins,
        "aria-valuenow": edge === "from" ? 0 : bins,
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#edgeKey(event, edge),
      })
    );
    this.first = h("span", { class: "histogram-time nums" });
    this.last = h("span", { class: "histogram-time nums" });
    this.field = h("div", { class: "histogram-field" }, svg, this.chosen, ...this.edges);
    // Time always runs from left to right here.
    this.dir = "ltr";
    this.replaceChildren(this.first, this.field, this.last);
    this.field.addEventListener("pointerdown", (event) => this.#drag(event));
    this.field.addEventListener("dblclick", () => this.#choose(null));
  }

  /** Counts again, at most four times a second. */
  changed() {
    if (this.#isWaiting || this.hidden) return;
    if (!this.counts) return this.#draw();
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#draw();
    }, 250);
  }

  /** Counts and draws now. */
  #draw() {
    if (!this.store || !this.paths || !this.first || !this.last) return;
    const counts = histogram(this.store, bins);
    this.counts = counts;
    const highest = counts.all.reduce((most, one) => Math.max(most, one), 0);
    [counts.all, counts.failed, counts.faulted].forEach((list, index) =>
      this.paths?.[index]?.setAttribute("d", outline(list, highest))
    );
    this.first.textContent = counts.end ? clockTime(counts.start) : "";
    this.last.textContent = counts.end ? clockTime(counts.end) : "";
    this.#drawSpan();
  }

  #drawSpan() {
    const { span, counts, chosen, edges } = this;
    if (!counts || !chosen || !edges) return;
    const length = counts.end - counts.start || 1;
    /** @param {number} at */
    const share = (at) => Math.min(100, Math.max(0, ((at - counts.start) / length) * 100));
    const [from, to] = [span ? share(span.from) : 0, span ? share(span.to) : 100];
    chosen.hidden = !span;
    chosen.style.insetInlineStart = `${from}%`;
    chosen.style.inlineSize = `${Math.max(to - from, 0.3)}%`;
    [from, to].forEach((place, index) => {
      const edge = edges[index];
      if (!edge) return;
      edge.style.insetInlineStart = `${place}%`;
      edge.setAttribute("aria-valuenow", String(Math.round((place / 100) * bins)));
      edge.setAttribute("aria-valuetext", clockTime(counts.start + (place / 100) * length));
    });
  }

  /** Shows this span as chosen. @param {{from: number, to: number} | null} span */
  show(span) {
    this.span = span;
    this.#drawSpan();
  }

  /** @param {{from: number, to: number} | null} span */
  #choose(span) {
    this.show(span);
    this.dispatchEvent(new CustomEvent("brush", { detail: span }));
  }

  /** @param {PointerEvent} event */
  #timeAt(event) {
    const box = need(this, ".histogram-field", HTMLElement).getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(box.width, 1)));
    const { start, end } = this.counts ?? { start: 0, end: 0 };
    return start + share * (end - start);
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (event.button !== 0 || !this.counts || !this.field) return;
    const begin = this.#timeAt(event);
    const over = new AbortController();
    const { signal } = over;
    const least = (this.counts.end - this.counts.start) / bins / 2;
    /** @param {PointerEvent} now */
    const span = (now) => {
      const end = this.#timeAt(now);
      return Math.abs(end - begin) < least ? null : { from: Math.min(begin, end), to: Math.max(begin, end) };
    };
    this.field.setPointerCapture(event.pointerId);
    this.field.addEventListener("pointermove", (now) => this.show(span(now)), { signal });
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      this.field.addEventListener(name, (now) => {
        over.abort();
        this.#choose(span(now));
      }, { signal });
    }
  }

  /** Moves an edge by so many parts of the whole. @param {"from" | "to"} edge @param {number} parts */
  move(edge, parts) {
    if (!this.counts?.end) this.#draw();
    const { start, end } = this.counts ?? { start: 0, end: 0 };
    if (end <= start) return;
    const span = this.span ?? { from: start, to: end };
    const step = ((end - start) / bins) * parts;
    const [from, to] = edge === "from" ? [span.from + step, span.to] : [span.from, span.to + step];
    const bounded = { from: Math.max(start, Math.min(from, end)), to: Math.min(end, Math.max(to, start)) };
    if (bounded.from >= bounded.to) return;
    this.#choose(bounded.from <= start && bounded.to >= end ? null : bounded);
  }

  /** @param {KeyboardEvent} event @param {"from" | "to"} edge */
  #edgeKey(event, edge) {
    const steps = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
      Home: -bins,
      End: bins,
    };
    if (Object.hasOwn(steps, event.key)) this.move(edge, steps[/** @type {keyof typeof steps} */ (event.key)]);
    else if (event.key === "Escape" || event.key === "Delete") this.#choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("network-histogram", NetworkHistogram);
