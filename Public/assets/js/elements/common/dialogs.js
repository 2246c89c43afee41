// @ts-check
// Dialogs and a banner that few people need: their modules are loaded then.
import { lazily } from "../../api.js";

export const compareHere = lazily(() => import("./row-compare.js"), "compareHere");
export const openComparison = lazily(() => import("./row-compare.js"), "openComparison");
export const openSaving = lazily(() => import("./save-recording.js"), "openSaving");
export const showBanner = lazily(() => import("./recording-banner.js"), "showBanner");
