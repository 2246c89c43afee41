// @ts-check
// What opens the faults, which few people do: their modules are loaded then.
import { lazily } from "../../api.js";

export const openFaults = lazily(() => import("./fault-panel.js"), "openFaults");
export const beginRule = lazily(() => import("./fault-panel.js"), "beginRule");
export const openAnswer = lazily(() => import("./answer-dialog.js"), "openAnswer");
export const askScenario = lazily(() => import("./fault-scenario.js"), "askScenario");
