// @ts-check The openers of the faults, whose modules are loaded on demand because few people use them.
import { lazily } from "../../api.js";

export const openFaults = lazily(() => import("./fault-panel.js"), "openFaults");
export const beginRule = lazily(() => import("./fault-panel.js"), "beginRule");
export const openAnswer = lazily(() => import("./answer-dialog.js"), "openAnswer");
export const askScenario = lazily(() => import("./fault-scenario.js"), "askScenario");
