// @ts-check
// Reads commands as a JSON array of texts from standard input, and writes what the composer makes of each, for Tests/Outside.
import { fromCurl } from "../../Public/assets/js/models/exports/curl.js";

/** @type {string[]} */
const texts = await new Response(Deno.stdin.readable).json();
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(texts.map((text) => fromCurl(text)))));
