// @ts-check
import { announce, h, plainButton, setDisabled } from "../../helpers/dom.js";
import { clockTime, dateTime, preciseTime, t } from "../../helpers/i18n.js";
import { logTime } from "../../helpers/log-source.js";
import { around, clusters, moved, placeOf, ticks, zoomed } from "../../models/timeline/axis.js";
import { callName } from "../../models/network/row-view.js";
import { lanesOf, wholeOf } from "../../models/timeline/lanes.js";
import { AxisGestures } from "./axis-gestures.js";
import { headline, rowAddress } from "./timeline-parts.js";

/**
 * @typedef {import("../../models/timeline/timeline.js").Entry} Entry
 * @typedef {import("../../models/timeline/lanes.js").Mark} Mark
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 */

/** The distance between marks, in pixels: the width of the area in which a mark can be pressed. */
const gap = matchMedia("(pointer: coarse)").matches ? 36 : 24;

/**
 * The events on a time axis that can be zoomed, in lanes. A mark leads to its request; dispatches `entry` with the `seq` of an
 * entry that has none. The table next to it has the same in words.
 */
export class TimelineAxis extends HTMLElement {
  /** @type {Entry[]} */
  #entries = [];
  /** @type {NetworkRow[]} */
  #rows = [];
  /** @type {import("../../models/timeline/axis.js").Span} */
  #whole = { from: 0, to: 1 };
  /** The visible span, null for all. @type {import("../../models/timeline/axis.js").Span | null} */
  #view = null;
  #accessEnd = Number.NaN;
  #isDue = false;
  #saying = 0;
  /** @type {AxisGestures | null} */
  #gestures = null;
  #field = h("div", { class: "axis-field" });
  #scale = h("div", { class: "axis-scale small muted nums", "aria-hidden": "true" });
  /** @type {HTMLElement | null} */
  #out = null;
  /** @type {HTMLElement | null} */
  #all = null;
  /** The mark that the keys move, as its lane and time. */
  #current = { lane: "", at: 0 };

  /** Creates the content, once the page has its words. */
  #build() {
    if (this.childElementCount) return;
    this.#out = this.#button("axis-out", "−", "timeline.axis.out", () => this.#zoom(2));
    this.#all = this.#button("axis-all", "", "timeline.axis.all", () => this.#set(null));
    this.append(
      h(
        "div",
        { class: "spread" },
        h("p", { class: "small muted", id: "axis-hint" }, t("timeline.axis.hint")),
        h("div", { class: "row" }, this.#out, this.#button("axis-in", "+", "timeline.axis.in", () => this.#zoom(0.5)), this.#all),
      ),
      // Time runs from left to right in every language, as in the histogram of the log.
      h(
        "div",
        { class: "axis", role: "group", "aria-label": t("timeline.axis"), "aria-describedby": "axis-hint" },
        this.#field,
        this.#scale,
      ),
    );
    new ResizeObserver(() => this.#draw()).observe(this.#field);
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("focusin", (event) => {
      if (event.target instanceof HTMLElement) this.#remember(event.target);
    });
    this.#gestures = new AxisGestures(this.#field, {
      zoom: (factor, part) => this.#zoom(factor, part),
      move: (part) => this.#set(moved(this.view, this.#whole, part)),
    });
  }

  /** The visible span. */
  get view() {
    return this.#view ?? this.#whole;
  }

  /** @param {string} id @param {string} text @param {string} key @param {() => void} act */
  #button(id, text, key, act) {
    const label = t(key);
    return plainButton("button button-small", {
      id,
      ...(text ? { "aria-label": label, title: label } : {}),
      onclick: act,
    }, text ? h("span", { "aria-hidden": "true" }, text) : label);
  }

  /**
   * Shows this.
   * @param {Entry[]} entries oldest first @param {NetworkRow[]} rows @param {string | undefined} accessEnd when the access token expires
   */
  show(entries, rows, accessEnd) {
    this.#build();
    [this.#entries, this.#rows, this.#accessEnd] = [entries, rows, Date.parse(accessEnd ?? "")];
    if (this.#isDue) return;
    this.#isDue = true;
    const draw = () => {
      if (this.#gestures?.isDown) return void setTimeout(draw, 100);
      this.#isDue = false;
      this.#draw();
    };
    requestAnimationFrame(draw);
  }

  /** Comes close to a request and puts the focus on it; false if it is not here. @param {string} id */
  reveal(id) {
    const at = Date.parse(
      this.#rows.find((row) => row.id === id)?.started_at ?? this.#entries.find((one) => one.row_id === id)?.at ?? "",
    );
    if (!Number.isFinite(at)) return false;
    this.#draw();
    this.#set(around({ from: at - 5000, to: at + 5000 }, this.#whole));
    const mark = this.#marks.find((one) => one.dataset.rows?.split(" ").includes(id));
    mark?.focus();
    this.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** @param {number} factor @param {number} [part] where in the field, from 0 to 1 */
  #zoom(factor, part = 0.5) {
    const { view } = this;
    this.#set(zoomed(view, this.#whole, factor, view.from + (view.to - view.from) * part));
  }

  /** @param {import("../../models/timeline/axis.js").Span | null} view */
  #set(view) {
    const isWhole = !view || view.to - view.from >= this.#whole.to - this.#whole.from;
    this.#view = isWhole ? null : view;
    this.#draw();
    // A wheel turns often; only the final view is announced.
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => {
      const { from, to } = this.view;
      announce(t("timeline.axis.view", { from: clockTime(from), to: clockTime(to) }));
    }, 400);
  }

  /** @returns {HTMLElement[]} */
  get #marks() {
    return Array.from(this.#field.querySelectorAll(".axis-mark"));
  }

  #draw() {
    const now = logTime();
    this.#whole = wholeOf(this.#entries, this.#rows, now);
    const width = this.#field.clientWidth;
    if (!width) return;
    const { view } = this;
    const hadFocus = this.#field.contains(document.activeElement);
    const accessEnd = Number.isFinite(this.#accessEnd) ? this.#accessEnd : undefined;
    const lanes = lanesOf(this.#entries, this.#rows, { now, from: this.#whole.from, accessEnd });
    this.#field.replaceChildren(...lanes.map((lane) => this.#lane(lane, width)));
    for (const button of [this.#out, this.#all]) {
      if (button) setDisabled(button, !this.#view);
    }
    const { step, at } = ticks(view, Math.max(2, Math.floor(width / 110)));
    this.#scale.replaceChildren(
      ...at.filter((one) => placeOf(view, one) > 0 && placeOf(view, one) < 1 - 80 / width).map((one) => {
        const tick = h("span", { class: "tick" }, step < 1000 ? preciseTime(one) : step < 86_400_000 ? clockTime(one) : dateTime(one));
        tick.style.insetInlineStart = `${placeOf(view, one) * 100}%`;
        return tick;
      }),
    );
    const marks = this.#marks;
    const current = nearest(marks.filter((one) => one.dataset.lane === this.#current.lane), this.#current.at) ?? marks[0];
    for (const mark of marks) mark.tabIndex = mark === current ? 0 : -1;
    if (hadFocus) current?.focus();
  }

  /** @param {import("../../models/timeline/lanes.js").Lane} lane @param {number} width */
  #lane({ key, bars, marks }, width) {
    const { view } = this;
    const track = h("div", { class: "track" });
    for (const { from, to, tone } of bars) {
      const [start, end] = [from, to].map((at) => Math.min(1, Math.max(0, placeOf(view, at))));
      if (start === undefined || end === undefined || to < view.from || from > view.to) continue;
      const bar = h("span", { class: "bar", "data-tone": tone });
      bar.style.insetInlineStart = `${start * 100}%`;
      bar.style.inlineSize = `${(end - start) * 100}%`;
      track.append(bar);
    }
    for (const cluster of clusters(marks, view, gap / width)) track.append(this.#mark(key, cluster));
    return h("div", { class: "lane", "data-lane": key }, h("span", { class: "lane-name small" }, t(`timeline.lane.${key}`)), track);
  }

  /** @param {string} lane @param {Mark[]} cluster */
  #mark(lane, cluster) {
    const [first] = cluster;
    if (!first) return "";
    const what = textOf(first);
    const isSame = cluster.every((one) => textOf(one) === what);
    const n = cluster.length;
    const name = n === 1 ? what : isSame ? `${t("timeline.folded", { n })} ${what}` : t("timeline.count", { n });
    const label = `${t(`timeline.lane.${lane}`)}: ${name}, ${preciseTime(first.at)}`;
    const row = n === 1 ? first.row?.id ?? first.entry?.row_id : undefined;
    const tones = new Set(cluster.map(({ tone }) => tone));
    const tone = ["bad", "violet", "warn"].find((one) => tones.has(one)) ?? first.tone;
    /** @type {Record<string, string | number>} */
    const shared = {
      class: "axis-mark",
      "data-tone": tone,
      "data-lane": lane,
      "data-at": first.at,
      "data-rows": cluster.flatMap((one) => one.row?.id ?? one.entry?.row_id ?? []).join(" "),
      "aria-label": label,
      title: label,
      tabindex: -1,
    };
    const face = h("span", { class: n > 1 ? "axis-count nums" : "axis-dot", "aria-hidden": "true" }, n > 1 ? String(n) : "");
    const mark = row
      ? h("a", { ...shared, href: rowAddress(row), draggable: "false" }, face)
      : h("button", { ...shared, type: "button", onclick: () => this.#press(cluster) }, face);
    // At the first of several, which is far enough from the next ones.
    mark.style.insetInlineStart = `${placeOf(this.view, first.at) * 100}%`;
    return mark;
  }

  /** Comes closer to several, or shows one in the table. @param {Mark[]} cluster */
  #press(cluster) {
    const [first, last] = [cluster[0], cluster.at(-1)];
    if (!first || !last) return;
    const { from, to } = this.view;
    if (last.at > first.at && to - from > 1000) this.#set(around({ from: first.at, to: last.at }, this.#whole));
    else if (first.entry) this.dispatchEvent(new CustomEvent("entry", { detail: first.entry.seq }));
    else if (first.row) {
      const event = new CustomEvent("show-row", { bubbles: true, cancelable: true, detail: first.row.id });
      if (this.dispatchEvent(event)) location.assign(rowAddress(first.row.id));
    }
  }

  /** @param {HTMLElement} mark */
  #remember({ dataset }) {
    if (dataset.lane) this.#current = { lane: dataset.lane, at: Number(dataset.at) };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = this.#marks;
    const own = marks.filter((one) => one.dataset.lane === this.#current.lane);
    const at = own.findIndex((one) => one === document.activeElement);
    const lanes = [...new Set(marks.map((one) => one.dataset.lane))];
    /** @param {number} step */
    const other = (step) => {
      const lane = lanes[lanes.indexOf(this.#current.lane) + step];
      return nearest(marks.filter((one) => one.dataset.lane === lane), this.#current.at);
    };
    /** @type {Record<string, () => HTMLElement | null | undefined | void>} */
    const acts = {
      ArrowLeft: () => event.shiftKey ? this.#set(moved(this.view, this.#whole, -0.25)) : own[at - 1],
      ArrowRight: () => event.shiftKey ? this.#set(moved(this.view, this.#whole, 0.25)) : own[at + 1],
      ArrowUp: () => other(-1),
      ArrowDown: () => other(1),
      Home: () => own[0],
      End: () => own.at(-1),
      "+": () => this.#zoomAtFocus(0.5),
      "=": () => this.#zoomAtFocus(0.5),
      "-": () => this.#zoomAtFocus(2),
      0: () => this.#set(null),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act()?.focus();
  }

  /** @param {number} factor */
  #zoomAtFocus(factor) {
    this.#zoom(factor, Math.min(1, Math.max(0, placeOf(this.view, this.#current.at))));
  }
}

/** The meaning of a mark, in words. @param {Mark} mark */
const textOf = ({ entry, row }) =>
  entry ? headline(entry) : row ? `${callName(row)} ${row.status ?? row.error ?? ""}`.trim() : "";

/** The mark closest to an instant. @param {HTMLElement[]} marks @param {number} at */
const nearest = (marks, at) =>
  marks.reduce(
    (/** @type {HTMLElement | null} */ best, one) =>
      best && Math.abs(Number(best.dataset.at) - at) <= Math.abs(Number(one.dataset.at) - at) ? best : one,
    null,
  );

customElements.define("timeline-axis", TimelineAxis);
