// @ts-check
/** @typedef {"zip" | "har" | "json"} Format */

/** The formats of an export, the one offered first in front. @type {Format[]} */
export const formats = ["zip", "har", "json"];

/** The words of each scope and format in the catalogue. */
export const exportKeys = {
  selected: "export.selected",
  shown: "export.shown",
  all: "export.all",
  zip: "export.zip_text",
  har: "export.har_text",
  json: "export.json_text",
};

/** How many ids an address has room for. */
const idsInAddress = 100;

/** The requested export: the selected rows or all. */
export class ExportWish {
  #log;
  #selected;
  #shown;
  #total;
  /** @type {Format} */
  format = "zip";

  /**
   * @param {{ids?: Iterable<string> | null, shown?: Iterable<string> | null, total?: number}} rows of the page
   * @param {string} [log] the path of the calls about the rows
   */
  constructor({ ids = null, shown = null, total = 0 } = {}, log = "/api/network") {
    this.#log = log;
    /** @param {string[]} list */
    const fitting = (list) => (this.#isSaved && list.length > idsInAddress ? [] : list);
    this.#selected = fitting([...new Set(ids ?? [])]);
    const all = shown ? [...new Set(shown)] : null;
    /** The ids that match the filter, or null if everything matches. @type {string[] | null} */
    this.#shown = all && fitting(all).length === all.length ? all : null;
    this.#total = total;
    /** @type {"selected" | "shown" | "all"} */
    this.scope = this.#selected.length ? "selected" : this.#shown ? "shown" : "all";
  }

  /** The scopes that can be chosen, each with its number of rows. @returns {{scope: "selected" | "shown" | "all", n: number}[]} */
  get scopes() {
    return [
      ...(this.#selected.length ? [{ scope: /** @type {const} */ ("selected"), n: this.#selected.length }] : []),
      ...(this.#shown ? [{ scope: /** @type {const} */ ("shown"), n: this.#shown.length }] : []),
      { scope: /** @type {const} */ ("all"), n: this.#total },
    ];
  }

  /** How many rows go. */
  get count() {
    return this.scopes.find((one) => one.scope === this.scope)?.n ?? 0;
  }

  /** The ids of the exported rows; none are needed for all of them. */
  get ids() {
    return this.scope === "selected" ? this.#selected : this.#shown ?? [];
  }

  /**
   * The call for the export. Ids of rows go into the body because an address is too short for many; a recording takes only those that
   * an address has room for, and else all rows.
   */
  get request() {
    const path = `${this.#log}/export`;
    if (this.scope === "all") return { method: "GET", path: `${path}?format=${this.format}` };
    if (this.#isSaved) return { method: "GET", path: `${path}?format=${this.format}&ids=${this.ids.join(",")}` };
    return { method: "POST", path, body: { format: this.format, ids: this.ids } };
  }

  get #isSaved() {
    return this.#log !== "/api/network";
  }
}

/**
 * The file name of an attachment, without anything that could be a path.
 * @param {string | null} disposition
 * @param {Format} format
 */
export function fileName(disposition, format) {
  const name = /filename="([\w.-]+)"/.exec(disposition ?? "")?.[1] ?? "";
  return name && !name.startsWith(".") ? name : `understudy.${format}`;
}

/** The console's facts about a scanned file. @param {{get(name: string): string | null}} headers */
export function exportFacts(headers) {
  /** @param {string} name */
  const count = (name) => {
    const text = headers.get(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  };
  return { rows: count("X-Export-Rows"), masks: count("X-Export-Masks"), secrets: count("X-Export-Secrets") };
}
