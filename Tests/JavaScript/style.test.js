// @ts-check
import { files, holds, none, read } from "./check.js";

const styles = files("assets/css/", ".css");
const tokens = read("assets/css/tokens.css");

/** @typedef {[number, number, number]} Triple */

/**
 * The relative luminance of an OKLCH colour in sRGB (Ottosson's matrices, WCAG 2 luminance).
 * @param {number} lightness percent
 * @param {number} chroma
 * @param {number} hue degrees
 */
function luminance(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const [L, a, b] = [lightness / 100, chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  holds(
    channels.every((channel) => channel > -0.002 && channel < 1.002),
    `oklch(${lightness}% ${chroma} ${hue}) is outside sRGB`,
  );
  const [red, green, blue] = /** @type {Triple} */ (channels.map((channel) => Math.min(1, Math.max(0, channel))));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const colour = String.raw`oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)`;
/** @type {Map<string, {light: number, dark: number}>} */
const roles = new Map(
  Array.from(tokens.matchAll(new RegExp(`--([\\w-]+): light-dark\\(${colour}, ${colour}\\);`, "g")), (match) => {
    const [l1, c1, h1, l2, c2, h2] = match.slice(2).map(Number);
    return [match[1] ?? "", {
      light: luminance(l1 ?? 0, c1 ?? 0, h1 ?? 0),
      dark: luminance(l2 ?? 0, c2 ?? 0, h2 ?? 0),
    }];
  }),
);

/** @param {string} front @param {string} back @param {"light" | "dark"} side */
function contrast(front, back, side) {
  const [one, other] = [roles.get(front)?.[side], roles.get(back)?.[side]];
  if (one === undefined || other === undefined) throw new Error(`no token ${front} or ${back}`);
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

Deno.test("every text is at least 4.5 to 1 on every ground it stands on, every control at least 3 to 1", () => {
  /** @type {[string, string, number][]} */
  const pairs = [
    ...["text", "muted", "faint", "accent", "ok", "warn", "bad", "info", "violet"].flatMap((front) =>
      ["canvas", "surface", "sunken", "lane", "raised", "selected"].map((
        back,
      ) => /** @type {[string, string, number]} */ ([front, back, 4.5]))
    ),
    ...["ok", "warn", "bad", "info"].map((
      front,
    ) => /** @type {[string, string, number]} */ ([front, `${front}-bg`, 4.5])),
    ["text", "bad-bg", 4.5],
    ["faint", "bad-bg", 4.5],
    ["on-accent", "accent", 4.5],
    ["on-accent", "accent-hover", 4.5],
    ["control", "canvas", 3],
    ["control", "surface", 3],
    ["control", "lane", 3],
    ["control", "raised", 3],
    ["bad", "bad-bg", 3],
  ];
  /** @type {string[]} */
  const low = [];
  for (const [front, back, least] of pairs) {
    for (const side of /** @type {("light" | "dark")[]} */ (["light", "dark"])) {
      const ratio = contrast(front, back, side);
      if (ratio < least) low.push(`${side}: ${front} on ${back} is ${ratio.toFixed(2)}, not ${least}`);
    }
  }
  none(low, "too little contrast");
});

Deno.test("colours are written in tokens.css alone, and every token that is used is there", () => {
  /** @type {string[]} */
  const wrong = [];
  const defined = new Set(Array.from(tokens.matchAll(/--([\w-]+):/g), (match) => match[1]));
  for (const path of styles) {
    const css = read(path).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const match of css.matchAll(/var\(--([\w-]+)/g)) {
      if (!defined.has(match[1])) wrong.push(`${path}: no token ${match[1]}`);
    }
    if (path.endsWith("tokens.css")) continue;
    for (
      const match of css.matchAll(
        /#[0-9a-f]{3,8}\b(?=[^{}]*;)|\b(?:rgb|hsl|oklch|oklab|lab|lch|color-mix|light-dark)a?\(|:\s*(?:white|black|red|gray|grey)\b/gi,
      )
    ) {
      wrong.push(`${path}: ${match[0]}`);
    }
  }
  none(wrong, "raw colours and unknown tokens");
});

Deno.test("boxes are logical, so a page turns with its direction", () => {
  const physical =
    /(?<![\w-])((?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right|top|bottom)[\w-]*|left|right|top|bottom|width|height|(?:min|max)-(?:width|height)|border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)/g;
  /** @type {string[]} */
  const wrong = [];
  for (const path of styles) {
    const css = read(path).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const match of css.matchAll(physical)) wrong.push(`${path}: ${match[0]}`);
    if (/transition:\s*all|@import|!important|url\(/.test(css)) {
      wrong.push(`${path}: transition all, @import, !important or url()`);
    }
    if (!/@layer/.test(css)) wrong.push(`${path}: outside the layers`);
    if (/animation:(?!\s*none)/.test(css) && !/prefers-reduced-motion/.test(css)) {
      wrong.push(`${path}: an animation that cannot be turned off`);
    }
  }
  none(wrong, "physical boxes and other things a style may not have");
});

Deno.test("the height of a row is one number in the style and in the grid", () => {
  const inStyle = /--row: (\d+)px/.exec(tokens)?.[1];
  const inGrid = /\browHeight = (\d+)/.exec(read("assets/js/elements/network/network-grid.js"))?.[1];
  holds(inStyle !== undefined && inStyle === inGrid, `${inStyle} and ${inGrid}`);
});
