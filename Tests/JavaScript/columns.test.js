// @ts-check
import { allColumns, columnLayout, firstSettings, movedOrder, readSettings } from "../../Public/assets/js/models/network/columns.js";
import { holds, same } from "./check.js";

Deno.test("all columns show if there is room, and those that say least give way first", () => {
  same(columnLayout(firstSettings(), 90).shown, allColumns);
  const narrow = columnLayout(firstSettings(), 55).shown;
  holds(["size", "source", "status", "path"].every((name) => narrow.includes(name)), `size and attempt stay: ${narrow}`);
  same(columnLayout(firstSettings(), 24).shown, ["path", "status"].flatMap((name) => name === "path" ? ["method", name] : [name]));
});

Deno.test("a hidden column is not there, and one that is resized keeps its width", () => {
  const settings = { ...firstSettings(), hidden: ["time", "fall", "endpoint"], widths: { path: 20 } };
  const { shown, template } = columnLayout(settings, 90);
  same(shown, ["seq", "method", "path", "status", "size", "ms", "source"]);
  same(template, "3rem 4rem 20rem 6.5rem 4.5rem 4.5rem minmax(6.5rem, 1fr)", "the last one takes the rest");
});

Deno.test("a column moves past the next one that is shown", () => {
  const settings = { ...firstSettings(), hidden: ["method"] };
  same(movedOrder(settings, "time", 1).slice(0, 4), ["seq", "method", "path", "time"]);
  same(movedOrder(settings, "seq", -1), settings.order, "not past the edge");
  same(movedOrder(settings, "path", -1).slice(0, 4), ["seq", "path", "time", "method"]);
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
