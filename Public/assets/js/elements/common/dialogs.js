// @ts-check
// Dialogs and what is said over a recording, which few people need: their modules are loaded then.
import { lazily } from "../../api.js";

export const compareHere = lazily(() => import("./row-compare.js"), "compareHere");
export const openComparison = lazily(() => import("./row-compare.js"), "openComparison");
export const openSaving = lazily(() => import("./save-recording.js"), "openSaving");
export const showExplanation = lazily(() => import("./explanation-panel.js"), "showExplanation");
export const showBanner = lazily(() => import("./recording-banner.js"), "showBanner");
