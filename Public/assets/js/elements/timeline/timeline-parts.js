// @ts-check
// The parts of the timeline: state machine, token lifetimes, entries.
import { h } from "../../helpers/dom.js";
import { clockTime, currentWords, dateTime, faultName, milliseconds, preciseTime, remaining, t } from "../../helpers/i18n.js";
import { inUnits } from "../../helpers/in-units.js";
import { recording } from "../../helpers/log-source.js";
import { reasonText } from "../common/problem-view.js";
import { arrow, drawing, faultEvent, partPassed, places, states } from "../../models/timeline/timeline.js";

/** @typedef {import("../../models/timeline/timeline.js").Transition} Transition */
/** @typedef {import("../../models/timeline/timeline.js").Entry} Entry */

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number | null>} attributes null leaves one out
 * @param {...(Node | string)} children
 */
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** The name of a session's state. @param {string | undefined} state */
export const stateName = (state) => (state && states.includes(state) ? t(`timeline.state.${state}`) : state ?? "–");

/**
 * The states of the session as boxes, the current one highlighted, and the transitions as arrows with their counts.
 * @param {Transition[]} transitions
 * @param {string} now
 */
export function machine(transitions, now) {
  const nodes = places(document.documentElement.dir === "rtl");
  const latest = transitions.reduce((seq, one) => Math.max(seq, one.last?.seq ?? 0), 0);
  const arrows = transitions.flatMap((one) => {
    const shape = arrow(nodes, one.from, one.to);
    if (!shape) return [];
    const { line: [start, end], head, middle } = shape;
    const label = t("timeline.edge", { from: stateName(one.from), to: stateName(one.to), n: one.times });
    return draw(
      "g",
      {
        class: "edge",
        "data-seen": one.times ? "" : null,
        "data-latest": one.last && one.last.seq === latest ? "" : null,
        "data-odd": one.isExpected ? null : "",
      },
      draw("title", {}, label),
      draw("line", { x1: start.x, y1: start.y, x2: end.x, y2: end.y }),
      draw("polygon", { points: head.map(({ x, y }) => `${x},${y}`).join(" ") }),
      ...(one.times
        ? [
          draw("circle", { cx: middle.x, cy: middle.y, r: one.times > 99 ? 14 : 11 }),
          draw("text", { x: middle.x, y: middle.y + 4 }, String(one.times)),
        ]
        : []),
    );
  });
  const { boxWidth, boxHeight } = drawing;
  const boxes = nodes.map(({ state, x, y }) =>
    draw(
      "g",
      { class: "node", "data-state": state, "data-now": state === now ? "" : null },
      draw("rect", { x, y, width: boxWidth, height: boxHeight, rx: 10 }),
      draw("text", { class: "node-name", x: x + boxWidth / 2, y: y + 24 }, stateName(state)),
      draw("text", { class: "node-code", x: x + boxWidth / 2, y: y + 42 }, state),
    )
  );
  return draw(
    "svg",
    {
      class: "machine",
      viewBox: `0 0 ${drawing.width} ${drawing.height}`,
      role: "img",
      "aria-label": t("timeline.machine_label", { state: stateName(now) }),
    },
    ...arrows,
    ...boxes,
  );
}

/** The transitions as rows of a table; observed ones link to the last one's request. @param {Transition[]} transitions */
export const transitionRows = (transitions) =>
  transitions.map((one) =>
    h(
      "tr",
      { class: one.times ? null : "faint", "data-odd": !one.isExpected },
      h("td", {}, stateName(one.from)),
      h("td", {}, stateName(one.to)),
      h("td", { class: "nums" }, String(one.times)),
      h("td", { class: "nums" }, one.last ? lastSeen(one, one.last) : "–"),
    )
  );

/** @param {Transition} transition @param {import("../../models/timeline/timeline.js").Entry} last */
function lastSeen({ from, to }, last) {
  const time = clockTime(last.at);
  if (!last.row_id) return time;
  const what = t("timeline.change", { from: stateName(from), to: stateName(to) });
  return h("a", { href: rowAddress(last.row_id), "aria-label": t("timeline.open_of", { what, time }) }, time);
}

/** The address of a row on the network page. @param {string} id */
export const rowAddress = (id) => `/network?${new URLSearchParams({ ...(recording === null ? {} : { recording }), row: id })}`;

/**
 * A token's lifetime as a bar that fills from issue to expiry, with a mark where it is refreshed, and as text.
 * @param {import("../../models/timeline/timeline.js").Lifetime} life
 * @param {number} now milliseconds
 */
export function lifetimeBar(life, now) {
  const left = (life.end - now) / 1000;
  const part = partPassed(life, now);
  const isRightToLeft = document.documentElement.dir === "rtl";
  const bar = draw("svg", { class: "life", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  bar.append(draw("rect", { class: "life-whole", x: 0, y: 0, width: 100, height: 10 }));
  if (part !== null) {
    const width = Math.round(part * 1000) / 10;
    bar.append(draw("rect", { class: "life-passed", x: isRightToLeft ? 100 - width : 0, y: 0, width, height: 10 }));
  }
  const due = life.dueAt === null ? null : partPassed(life, life.dueAt);
  if (due !== null) {
    bar.append(
      draw("rect", { class: "life-due", x: (isRightToLeft ? 1 - due : due) * 100 - 0.4, y: 0, width: 0.8, height: 10 }),
    );
  }
  return h(
    "div",
    { class: "lifetime", "data-tone": left <= 0 ? "bad" : life.dueAt !== null && now >= life.dueAt ? "warn" : "ok" },
    h(
      "p",
      { class: "spread" },
      h("span", { class: "label" }, t(`timeline.token.${life.key}`)),
      h(
        "span",
        { class: "nums lifetime-left" },
        left > 0 ? t("timeline.left", { time: remaining(left) }) : t("timeline.over"),
      ),
    ),
    bar,
    h(
      "p",
      { class: "spread small muted nums" },
      h("span", {}, life.start === null ? "–" : dateTime(life.start)),
      h("span", {}, dateTime(life.end)),
    ),
    life.dueAt !== null && now < life.dueAt
      ? h("p", { class: "small muted nums" }, t("timeline.due", { time: clockTime(life.dueAt) }))
      : null,
  );
}

/** The cell with the kind of an entry. @param {Entry} entry */
export const kindCell = (entry) =>
  h(
    "td",
    { role: "cell", class: "entry-kind" },
    h("span", { class: "badge", "data-tone": tone(entry) }, t(`timeline.kind.${entry.kind}`)),
  );

/**
 * An entry as a row of the table, with its cause.
 * @param {import("../../models/timeline/timeline.js").Listed} one
 */
export function entryRow({ entry, since }) {
  const what = headline(entry);
  const time = preciseTime(entry.at);
  return h(
    "tr",
    {
      role: "row",
      "data-seq": entry.seq,
      "data-row": entry.row_id,
      "data-kind": entry.kind,
      "data-event": entry.kind === "fault" ? faultEvent(entry) : null,
      tabindex: "-1",
    },
    h(
      "td",
      { role: "cell", class: "entry-time nums" },
      h("time", { datetime: entry.at, title: dateTime(entry.at) }, time),
      since === null ? null : h("span", { class: "faint" }, t("timeline.since", { time: span(since) })),
    ),
    kindCell(entry),
    h(
      "td",
      { role: "cell" },
      h("span", { class: "entry-name" }, what),
      ...details(entry).map((text) => h("span", { class: "small muted entry-detail" }, text)),
    ),
    h(
      "td",
      { role: "cell", class: "entry-request" },
      entry.row_id
        ? h(
          "a",
          { href: rowAddress(entry.row_id), "aria-label": t("timeline.open_of", { what, time }) },
          t("timeline.open"),
        )
        : h("span", { class: "faint" }, "–"),
    ),
  );
}

/** An entry in a few words. @param {Entry} entry */
export function headline(entry) {
  const { kind, from, to, name } = entry;
  if (kind === "session") return t("timeline.change", { from: stateName(from), to: stateName(to) });
  if (kind === "fault") return t(`timeline.fault.${faultEvent(entry)}`, { name: faultOf(entry) });
  if (kind === "clock") return clockLine(Number(to ?? 0));
  return t(`timeline.event.${name}`);
}

/** The name of an entry's fault. @param {Entry} entry */
const faultOf = ({ fault_name: given, name, preset }) => faultName({ name: given ?? name ?? "–", preset });

/** @param {number} ahead seconds */
const clockLine = (ahead) =>
  ahead ? t("timeline.clock.ahead", { time: inUnits(ahead) }) : t("timeline.clock.reset");

/** Further facts about an entry. @param {Entry} entry @returns {(string | Node)[]} */
function details(entry) {
  const { kind, from, to, name, preset, reason } = entry;
  if (kind === "session" && entry.fault_name) return [t("timeline.by_fault", { name: faultOf(entry) })];
  if (kind !== "analytics") {
    // The name of a preset describes its effect; the reason of an effect is the error that it caused.
    if (!reason || (kind === "fault" && preset && to !== "acted")) return [];
    return [
      reason === "user"
        ? t("timeline.reason.user")
        : kind === "fault"
        ? faultReason(reason)
        : reasonText(reason),
    ];
  }
  /** @type {(string | Node)[]} */
  const found = [h("code", { class: "ltr" }, name ?? "")];
  if (name?.startsWith("auth.login")) found.push(t(`timeline.method.${to}`));
  else if (from || to) found.push(t("timeline.change", { from: value(from), to: value(to) }));
  if (reason === "user") found.push(t("timeline.reason.user"));
  else if (reason) found.push(name === "auth.login_failed" ? t(`timeline.category.${reason}`) : reasonText(reason));
  return found;
}

/** Why a fault's entry is there: the kind of the rule, or the error that it caused. @param {string} reason */
const faultReason = (reason) =>
  currentWords().has(`fault.kind.${reason}`) ? t(`fault.kind.${reason}`) : h("code", { class: "ltr" }, reason);

/** A setting's value: a switch, or a language as it is. @param {string | undefined} text */
const value = (text) => text === "on" ? t("timeline.on") : text === "off" ? t("timeline.off") : text ?? "–";

/** @param {Entry} entry */
const tone = ({ kind, from, to, name }) => {
  if (kind === "fault") return ["armed", "acted"].includes(faultEvent({ from, to })) ? "violet" : "";
  if (kind === "clock") return "warn";
  if (kind === "analytics") return name === "auth.login_failed" ? "warn" : "";
  return to === "authenticated" ? "ok" : to === "refreshing" ? "info" : to === "error" ? "warn" : "";
};

/** A span of time, short. @param {number} duration milliseconds */
export const span = (duration) => (duration < 60_000 ? milliseconds(duration) : remaining(duration / 1000));
