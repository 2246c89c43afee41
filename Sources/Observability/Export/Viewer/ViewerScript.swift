/// The script of the viewer page, in parts that share one scope.
enum ViewerScript {
  /// Data, words and the making of elements.
  static let core = #"""
    const $ = (id) => document.getElementById(id);
    const read = (id) => JSON.parse($(id).textContent);
    const rows = read("rows"), about = read("about"), timeline = read("timeline"), faults = read("faults"), words = read("words");
    const byId = new Map(rows.map((row) => [row.id, row]));
    const ruleNames = new Map(faults.map((fault) => [fault.id, fault.name]));
    for (const row of rows) row.begins = Date.parse(row.started_at);
    const state = { language: "en", isGrouped: true, cursor: -1, chosen: null, tab: "overview", view: "network", closed: new Set() };

    const t = (key) => (words[state.language] ?? words.en)[key] ?? words.en[key] ?? key;
    const isRightToLeft = () => document.documentElement.dir === "rtl";
    const time = (text) => text.slice(11, 23);
    const span = (ms) => ms === undefined ? "" : `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
    const size = (bytes) => bytes === undefined ? "" : bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
    const hasFailed = (row) => row.state === "failure" || row.state === "cancelled" || row.status >= 400;
    const isFaulted = (row) => row.source === "fault" || row.fault_id !== undefined;
    const outcome = (row) => [row.status, row.error].filter((part) => part !== undefined).join(" ") || row.state;
    const target = (row) => row.path + (row.query ? `?${row.query}` : "");

    function h(tag, attributes, ...children) {
      const node = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes ?? {})) if (value !== undefined) node.setAttribute(name, value);
      node.append(...children.filter((child) => child !== undefined && child !== null));
      return node;
    }

    // What is not written in the reader's language keeps its own direction.
    const plain = (text) => h("bdi", { dir: "ltr" }, text);

    // Moves the focus within a list of tabs as the arrow keys say, in the direction in which the page is read.
    function tabKeys(list, choose) {
      list.addEventListener("keydown", (event) => {
        const tabs = [...list.children], at = tabs.indexOf(document.activeElement);
        const forward = isRightToLeft() ? "ArrowLeft" : "ArrowRight", back = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
        const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        choose(tabs[(to + tabs.length) % tabs.length].dataset.name);
        list.querySelector("[aria-selected=true]").focus();
      });
    }

    const tab = (name, label, isChosen, panel) => h("button", { type: "button", role: "tab", "data-name": name, "aria-controls": panel,
      "aria-selected": String(isChosen), tabindex: isChosen ? "0" : "-1" }, label);
    """#

  /// The language of the filter, as the network page has it.
  static let filter = #"""
    const units = { dur: { "": 1, ms: 1, s: 1000, m: 60000 }, size: { "": 1, b: 1, k: 1e3, kb: 1e3, m: 1e6, mb: 1e6 }, status: { "": 1 } };

    function rangeOf(field, value) {
      const number = (digits, unit) => Number(digits) * (units[field][(unit ?? "").toLowerCase()] ?? NaN);
      let match = /^(\d+(?:\.\d+)?)([a-z]{0,2})\.\.(\d+(?:\.\d+)?)([a-z]{0,2})$/i.exec(value);
      if (match) {
        const [least, most] = [number(match[1], match[2] || match[4]), number(match[3], match[4])];
        return least <= most ? (n) => n >= least && n <= most : null;
      }
      match = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)([a-z]{0,2})$/i.exec(value);
      const bound = match ? number(match[2], match[3]) : NaN;
      if (Number.isNaN(bound)) return null;
      return { ">=": (n) => n >= bound, "<=": (n) => n <= bound, ">": (n) => n > bound, "<": (n) => n < bound }[match[1]] ?? ((n) => n === bound);
    }

    // With `*` the whole text must match; without it a part is enough.
    function textTest(value, of) {
      const tests = value.split(",").filter(Boolean).map((one) => {
        const escaped = one.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
        return one.includes("*") ? new RegExp(`^${escaped.replace(/\*+/g, ".*")}$`, "is") : new RegExp(escaped, "i");
      });
      return tests.length ? (row) => of(row).some((text) => text !== undefined && tests.some((test) => test.test(text))) : null;
    }

    const kinds = {
      pending: (row) => row.state === "waiting" || row.state === "pending", failed: hasFailed, retried: (row) => row.attempt > 1,
      faulted: isFaulted, cached: (row) => row.source === "cache", replayed: (row) => row.source === "replay",
      pinned: (row) => row.is_pinned === true, redacted: (row) => row.redactions.length > 0,
    };
    Object.assign(kinds, { fault: kinds.faulted, replay: kinds.replayed, cache: kinds.cached, waiting: kinds.pending });
    const parts = {
      body: (row) => row.request_bytes > 0 || row.response_bytes > 0, error: (row) => row.error !== undefined,
      parent: (row) => row.parent_id !== undefined,
    };

    function statusTest(value) {
      const family = /^([1-5])xx$/i.exec(value);
      if (family) return (row) => Math.floor(row.status / 100) === Number(family[1]);
      if (/^err(or)?$/i.test(value)) return (row) => row.state === "failure" && !(row.status >= 400);
      if (/^pending$/i.test(value)) return kinds.pending;
      const range = rangeOf("status", value);
      return range && ((row) => row.status !== undefined && range(row.status));
    }

    const anyOf = (value, make) => {
      const tests = value.toLowerCase().split(",").filter(Boolean).map(make);
      return tests.length && tests.every(Boolean) ? (row) => tests.some((test) => test(row)) : null;
    };
    const own = (table, name) => Object.hasOwn(table, name) ? table[name] : null;
    const bodies = (row) => [row.request?.body, row.response?.body];
    const fields = {
      method: (value) => anyOf(value, (one) => (row) => row.method.toLowerCase() === one),
      status: (value) => anyOf(value, statusTest),
      endpoint: (value) => textTest(value, (row) => [row.endpoint]), path: (value) => textTest(value, (row) => [row.path, target(row)]),
      flow: (value) => textTest(value, (row) => [row.flow, row.flow_id]), error: (value) => textTest(value, (row) => [row.error]),
      body: (value) => (row) => bodies(row).some((text) => text?.toLowerCase().includes(value.toLowerCase())),
      dur: (value) => { const range = rangeOf("dur", value); return range && ((row) => range(row.duration_ms)); },
      size: (value) => { const range = rangeOf("size", value); return range && ((row) => range(row.response_bytes)); },
      is: (value) => anyOf(value, (one) => own(kinds, one)), has: (value) => anyOf(value, (one) => own(parts, one)),
      drift: (value) => anyOf(value, (one) => ({
        any: (row) => row.drift !== undefined, missing: (row) => row.drift?.some((drift) => drift.kind === "missing") ?? false,
      })[one] ?? null),
      between: (value) => {
        const [from, to] = value.split("..").map((text) => Date.parse(text));
        return from <= to ? (row) => row.begins >= from && row.begins <= to : null;
      },
      // The rows do not grow old here: the span ends with the last one.
      since: (value) => {
        const match = /^(\d{1,6})(ms|s|m|h|d)$/i.exec(value), last = Math.max(...rows.map((row) => row.begins));
        return match && ((row) => row.begins >= last - match[1] * { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 }[match[2].toLowerCase()]);
      },
    };

    function bareTest(value) {
      const text = textTest(value, (row) => [row.path, row.query, target(row), row.endpoint, row.error]);
      const isNumber = /^\d{1,3}$/.test(value);
      return text && ((row) => text(row) || isNumber && String(row.status ?? "").startsWith(value));
    }

    // Terms that are separated by spaces must all match; `|` separates alternatives, `-` or `!` negates, parentheses group.
    function parseFilter(source) {
      const tokens = source.match(/[()|]|[-!](?=[^\s|)])|(?:[^\s()|"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
      let place = 0, isValid = true;
      const fail = () => { isValid = false; return null; };
      function alternatives(depth) {
        const tests = [];
        do {
          const test = all(depth);
          if (test) tests.push(test);
        } while (tokens[place] === "|" && (place += 1));
        return tests.length ? (row) => tests.some((test) => test(row)) : null;
      }
      function all(depth) {
        const tests = [];
        while (place < tokens.length && tokens[place] !== "|" && !(tokens[place] === ")" && depth > 0)) {
          const test = one(depth);
          if (test) tests.push(test);
        }
        return tests.length ? (row) => tests.every((test) => test(row)) : null;
      }
      function one(depth) {
        const token = tokens[place];
        place += 1;
        if (token === undefined || token === ")" || depth > 50) return fail();
        if (token === "-" || token === "!") {
          const test = one(depth + 1);
          return test && ((row) => !test(row));
        }
        if (token !== "(") return term(token);
        const test = alternatives(depth + 1);
        if (tokens[place] !== ")") return fail();
        place += 1;
        return test;
      }
      function term(token) {
        if ((token.match(/(?<!\\)"/g) ?? []).length % 2) return fail();
        const text = token.replace(/\\(.)|"/g, "$1");
        const colon = token.startsWith('"') || /^https?:/i.test(text) ? -1 : text.indexOf(":");
        if (colon < 0) return (text ? bareTest(text) : null) ?? fail();
        const make = own(fields, text.slice(0, colon).toLowerCase()), value = text.slice(colon + 1);
        return (make && value ? make(value) : null) ?? fail();
      }
      const test = alternatives(0);
      return { test: test ?? (() => true), isValid };
    }
    """#
}
