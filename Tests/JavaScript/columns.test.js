// @ts-check
import { allColumns, columnLayout, columns, firstSettings, readSettings, toggled } from "../../Public/assets/js/models/network/columns.js";
import { movedOrder } from "../../Public/assets/js/models/network/moved-column.js";
import { RowStore } from "../../Public/assets/js/models/network/row-store.js";
import { catalogueOf, holds, same } from "./check.js";
import { row } from "./rows.js";

const rare = ["host", "endpoint"];

Deno.test("all columns show if there is room and the log calls for them, and those that say least give way first", () => {
  same(columnLayout(firstSettings(), 90).shown, allColumns.filter((name) => !rare.includes(name)));
  same(columnLayout(firstSettings(), 90, rare).shown, allColumns);
  const narrow = columnLayout(firstSettings(), 55).shown;
  holds(["size", "source", "status", "path"].every((name) => narrow.includes(name)), `size and attempt stay: ${narrow}`);
  same(columnLayout(firstSettings(), 20).shown, ["method", "path", "status"]);
});

Deno.test("a column has a title in words", () => {
  const words = catalogueOf("en");
  same(columns.filter(({ name }) => words[`network.col.${name}`] === undefined), []);
});

Deno.test("a phone shows what was called and what came of it, close together", () => {
  const { shown, template, space } = columnLayout(firstSettings(), 390 / 16);
  same(shown, ["method", "path", "status", "ms"]);
  same(template, "3.5rem minmax(7rem, 3fr) 5.5rem 4rem");
  same(space, { gap: 0.5, edge: 0.75 });
});

Deno.test("a hidden column is not there, and one that is resized keeps its width", () => {
  const settings = { ...firstSettings(), hidden: ["time", "fall", "endpoint"], widths: { path: 20 } };
  const { shown, template } = columnLayout(settings, 90, ["endpoint"]);
  same(shown, allColumns.filter((name) => ![...settings.hidden, "host"].includes(name)));
  same(template.split(" ")[shown.indexOf("path")], "20rem");
  same(template.slice(template.indexOf("minmax")), "minmax(7.25rem, 1fr)", "the last one alone takes the rest");
});

Deno.test("a column moves past the next one that is shown", () => {
  const settings = { ...firstSettings(), hidden: ["method"] };
  same(movedOrder(settings, "time", 1).slice(0, 5), ["seq", "method", "host", "path", "time"], "past one that the log does not call for");
  same(movedOrder(settings, "time", 1, rare).slice(0, 4), ["seq", "method", "host", "time"]);
  same(movedOrder(settings, "seq", -1), settings.order, "not past the edge");
  same(movedOrder(settings, "path", -1).slice(0, 4), ["seq", "path", "time", "method"]);
});

Deno.test("a rare column shows for the log that calls for it, and for whoever asks for it or against it", () => {
  /** @param {readonly string[]} varied @param {string[]} names */
  const shown = (varied, ...names) => {
    const settings = firstSettings();
    for (const name of names) Object.assign(settings, toggled(settings, name, varied));
    return rare.map((name) => columnLayout(settings, 90, varied).shown.includes(name));
  };
  same(shown([]), [false, false]);
  same(shown(["host"]), [true, false]);
  same(shown([], "endpoint"), [false, true]);
  same(shown(rare, "endpoint"), [true, false]);
  same(shown([], "endpoint", "endpoint"), [false, false]);
});

Deno.test("a log calls for the column of hosts if there are several, and for that of endpoints if a path does not show one", () => {
  const store = new RowStore();
  store.merge([row(1, { host: "a" }), row(2, { host: "a" }), row(3)]);
  same(store.varied, []);
  const other = new RowStore();
  // The built-in backend has another port after each start.
  other.merge([row(1, { host: "127.0.0.1:34341" }), row(2, { host: "127.0.0.1:40001" })]);
  same(other.varied, []);
  other.merge([row(3, { host: "127.0.0.1:8080" })]);
  same(other.varied, ["host"]);
  store.merge([row(4, { host: "b", endpoint: "/rpc/{id}" })]);
  same(store.varied.toSorted(), ["endpoint", "host"]);
  store.reset(10, 0);
  same(store.varied, []);
});

Deno.test("stored settings are read with care", () => {
  same(readSettings(null), firstSettings());
  same(readSettings("{"), firstSettings());
  same(readSettings("null"), firstSettings());
  const read = readSettings(JSON.stringify({
    order: ["fall", "fall", "none"],
    hidden: ["path", "size"],
    widths: { size: 900, none: 3, time: "x" },
    isCompact: true,
    split: 99,
  }));
  same(read.order, ["fall", ...allColumns.filter((name) => name !== "fall")]);
  same([read.hidden, read.widths, read.isCompact, read.split], [["size"], { size: 60 }, true, 75]);
});
