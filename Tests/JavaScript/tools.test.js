// @ts-check
import { bindings, bindingsOf, keyCaps, KeySequence, pressed } from "../../Public/assets/js/models/shell/bindings.js";
import { devicesThatRequestedLinks, isDisplayName, listedDevices } from "../../Public/assets/js/models/shell/device-list.js";
import { endonym } from "../../Public/assets/js/models/account/account-facts.js";
import { folded } from "../../Public/assets/js/models/shell/language.js";
import { pageAfterSignIn } from "../../Public/assets/js/models/shell/pages.js";
import { actionsIn, matching, score } from "../../Public/assets/js/models/shell/palette.js";
import { catalogueOf, files, holds, none, read, same } from "./check.js";

/** @param {string} key @param {object} [with_] */
const press = (key, with_ = {}) =>
  pressed({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...with_ });

Deno.test("a press is named as the table writes it, the browser's own keys are left alone", () => {
  same([press("G"), press("p", { shiftKey: true }), press("?", { shiftKey: true })], ["g", "Shift+P", "?"]);
  same([press("k", { ctrlKey: true }), press("k", { metaKey: true })], ["Mod+K", "Mod+K"]);
  same([press("k", { ctrlKey: true, shiftKey: true }), press("f", { altKey: true }), press("Shift")], [
    null,
    null,
    null,
  ]);
  same([press("ArrowLeft", { ctrlKey: true }), press("1", { ctrlKey: true })], [null, null]);
});

Deno.test("two keys in a row make a command, unless too much time lies between", () => {
  const sequence = new KeySequence();
  same([sequence.take("g", 0), sequence.take("n", 100)], [null, "go_network"]);
  same([sequence.take("g", 0), sequence.take("n", 9000)], [null, null]);
  same(
    [sequence.take("g", 0), sequence.take("y", 10)],
    [null, "copy_link"],
    "a single key after a first that leads nowhere",
  );
  same([sequence.take("Mod+K", 0), sequence.take("?", 0), sequence.take("x", 0)], ["palette", "shortcuts", null]);
});

Deno.test("no two bindings of a page are the same key, and each has its words", () => {
  const english = catalogueOf("en");
  /** @type {string[]} */
  const wrong = [];
  for (const page of ["", "network", "inbox", "cues", "timeline", "help"]) {
    const { everywhere, here } = bindingsOf(page);
    const keys = [...everywhere, ...here].map((one) => one.keys);
    wrong.push(...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${page}: ${key} twice`));
  }
  for (const { command, label, keys } of bindings) {
    if (!Object.hasOwn(english, command ? `command.${command}` : label ?? "")) wrong.push(`${keys} has no words`);
  }
  none(wrong, "bindings");
});

Deno.test("a key that a page is said to bind is one that its element listens for", () => {
  const elements = {
    network: ["network-console", "network-grid", "network-tools", "network-detail"],
    inbox: ["inbox-view"],
    cues: ["cue-board"],
    timeline: ["timeline-view", "entry-list"],
    help: ["help-search"],
  };
  const models = read("assets/js/models/network/row-view.js") + read("assets/js/models/cues/board.js");
  /** @type {string[]} */
  const wrong = [];
  for (const { keys, page } of bindings) {
    if (!page) continue;
    const code = elements[page].map((name) => read(`assets/js/elements/${page}/${name}.js`)).join("") + models;
    const key = keys.replace("Shift+", "");
    const isHeard = key === "Arrow"
      ? code.includes('"ArrowUp"')
      : code.includes(`"${key}"`) || code.includes(`${key}:`);
    if (!isHeard) wrong.push(`${page}: ${keys}`);
  }
  none(wrong, "keys that nobody listens for");
});

Deno.test("the caps of a key are those of the keyboard", () => {
  same(keyCaps("Mod+K", true), [["⌘", "K"]]);
  same(keyCaps("Mod+K", false), [["Ctrl", "K"]]);
  same(keyCaps("g n", false), [["g"], ["n"]]);
  same(keyCaps("Shift+Arrow", false), [["Shift", "←↑↓→"]]);
});

Deno.test("the palette finds by the start of a word first, then by letters in order, marks aside", () => {
  /** @param {string} words */
  const entry = (words) => ({ id: words, group: /** @type {const} */ ("page"), words });
  const entries = ["Aller au réseau", "Renouveler la session", "Réglages"].map(entry);
  same(matching(entries, "reseau").map((one) => one.words), ["Aller au réseau"]);
  same(matching(entries, "re")[0]?.words, "Renouveler la session");
  same(matching(entries, "rgl").map((one) => one.words), ["Réglages"]);
  same(matching(entries, "").length, 3);
  same(matching(entries, "\\(").length, 0);
  holds(score("net", "Go to Network") > score("net", "Nothing else there"), "a whole run beats scattered letters");
});

Deno.test("an action that a page declares is declared by one page alone and has words in the palette", () => {
  same(actionsIn('<b data-action="one"><i class="x" data-action="two"/><b data-action="one">'), ["one", "two"]);
  const words = catalogueOf("en");
  const pages = files("", ".html").filter((path) => !path.includes("/"));
  const declared = pages.flatMap((path) => actionsIn(read(path)).map((name) => ({ path, name })));
  holds(declared.length >= 8, "actions");
  none(
    declared.filter(({ name }) => declared.filter((one) => one.name === name).length > 1).map(({ name }) => name),
    "actions of several pages",
  );
  none(
    declared.filter(({ name }) => !Object.hasOwn(words, `command.${name}`)).map(({ path, name }) => `${path}: ${name}`),
    "actions without words",
  );
});

Deno.test("a sign-in leads to a page of the console alone", () => {
  for (const page of ["/cues", "/network?q=host&row=1", "/delete-account"]) same(pageAfterSignIn(page), page);
  const others = [null, "", "/", "/login", "/login?x=/cues", "//evil.example/cues", "https://evil.example", "/cues/../x", "/CUES", "cues"];
  for (const other of others) same(pageAfterSignIn(other), "/settings", String(other));
});

Deno.test("a language is called what its speakers call it", () => {
  same([endonym("fr"), endonym("pl"), endonym("ar")], ["Français", "Polski", "العربية"]);
  holds(endonym("not a code").length > 0, "an unknown one is its code");
  same(folded("RÉSEAU Übung"), "reseau ubung");
});

Deno.test("the switcher lists this tab's device first and those without a key last", () => {
  const known = [
    { device_id: "1", name: "One" },
    { device_id: "2", name: "Two", signed_in: true, signed_in_as: "a•••@example.com" },
    { device_id: "3", name: "Three", signed_in: true },
  ];
  const held = [{ device_id: "3", device_key: "k", name: "Three" }, { device_id: "2", device_key: "k", name: "Two" }];
  same(listedDevices(known, held, "3").map((one) => [one.name, one.isShown, one.held !== null, one.isSignedIn, one.user]), [
    ["Three", true, true, true, ""],
    ["Two", false, true, true, "a•••@example.com"],
    ["One", false, false, false, ""],
  ]);
});

Deno.test("a name is 1 to 60 characters, none of which hides", () => {
  same(["a", "Phone 1", "🎭".repeat(60), "אב"].map(isDisplayName), [true, true, true, true]);
  same(["", "🎭".repeat(61), "a\nb", "a\u202eb", "a\u200bb", "a\u2028b", "\ue000"].filter(isDisplayName), []);
});

Deno.test("of the other devices those that asked within the hour are offered, the latest first", () => {
  const others = ["1", "2", "3"].map((id) => ({ device_id: id, device_key: "k", name: id }));
  same(devicesThatRequestedLinks({ 1: 1_000, 2: 3_000_000, 3: 3_500_000 }, others, 3_700_000).map((one) => one.device.name), ["3", "2"]);
  same(devicesThatRequestedLinks({}, others, 0), []);
});
