// @ts-check
// Runs before every other module of the viewer: the session that the page carries takes the place of the console.
import { standIn } from "../../api.js";
import { need, setParameter } from "../../helpers/dom.js";
import { answerOf, endOf } from "../../models/network/saved-session.js";

/** @param {string} id */
const read = (id) => JSON.parse(need(document, `#${id}`, HTMLScriptElement).textContent ?? "");

/** @type {import("../../models/network/saved-session.js").SavedSession} */
export const saved = {
  rows: read("rows"),
  happenings: read("happenings"),
  rules: read("rules"),
  explanation: document.querySelector("#explanation") ? read("explanation") : undefined,
  about: read("about"),
  words: read("words"),
};

document.documentElement.dataset.offline = endOf(saved);
// The pages show it as a recording, which cannot be changed.
setParameter("recording", "export");
standIn.device = { device_id: "", device_key: "", name: "" };
standIn.answer = (path) => {
  const body = answerOf(saved, String(path));
  return Promise.resolve(Response.json(body ?? { code: "not_found" }, { status: body === undefined ? 404 : 200 }));
};
