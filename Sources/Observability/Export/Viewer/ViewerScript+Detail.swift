extension ViewerScript {
  /// The details of a row, in tabs.
  static let detail = #"""
    const detailTabs = ["overview", "request", "response", "timing", "faults", "drift", "redactions"];
    const tabName = (name) => t(name === "drift" ? "drift.title" : `detail.${name}`);

    function openRow(row) {
      state.chosen = row;
      $("network").classList.add("open");
      $("detail").hidden = $("splitter").hidden = false;
      showDetail();
    }

    function closeRow() {
      state.chosen = null;
      $("network").classList.remove("open");
      $("detail").hidden = $("splitter").hidden = true;
      $("list").focus();
    }

    // Shows a row that something else leads to, even if the filter or a closed group hides it.
    function reveal(id) {
      const row = byId.get(id);
      if (!row) return;
      chooseView("network");
      if (!parseFilter($("filter").value).test(row)) $("filter").value = "";
      state.closed.delete(row.flow_id);
      showGrid();
      setCursor(lines.findIndex((line) => line.row === row), true);
      $("list").focus();
    }

    function link(id) {
      const button = h("button", { type: "button", class: "link", "data-to": id }, plain(`#${byId.get(id).seq} ${byId.get(id).method} ${byId.get(id).path}`));
      button.addEventListener("click", () => reveal(id));
      return button;
    }

    function showDetail() {
      const row = state.chosen;
      if (!row) return;
      const close = h("button", { type: "button", "aria-label": t("detail.close"), id: "close" }, "✕");
      close.addEventListener("click", closeRow);
      const names = detailTabs.filter((name) => name !== "drift" || row.drift);
      if (!names.includes(state.tab)) state.tab = "overview";
      const list = h("div", { role: "tablist", "aria-label": t("detail.tabs"), id: "tabs" },
        ...names.map((name) => tab(name, tabName(name), name === state.tab, "part")));
      const choose = (name) => { state.tab = name; showDetail(); };
      for (const one of list.children) one.addEventListener("click", () => { choose(one.dataset.name); $("tabs").querySelector("[aria-selected=true]").focus(); });
      tabKeys(list, (name) => { choose(name); });
      const part = h("div", { role: "tabpanel", id: "part", "aria-label": tabName(state.tab) }, ...panels[state.tab](row));
      $("detail").setAttribute("aria-label", t("detail.label"));
      const hadFocus = $("tabs")?.contains(document.activeElement);
      $("detail").replaceChildren(h("div", { class: "top" }, h("h2", {}, plain(`${row.method} ${row.url}`)), close), list, part);
      if (hadFocus) list.querySelector("[aria-selected=true]").focus();
      $("detail").scrollTop = 0;
    }

    function pretty(text) { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } }

    const facts = (pairs) => h("dl", {}, ...pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null)
      .flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value instanceof Node ? value : plain(String(value)))]));

    function message(part, none) {
      if (!part) return [h("p", { class: "muted" }, none)];
      const lines = part.headers.map((pair) => `${pair[0]}: ${pair[1]}`).join("\n");
      return [h("h3", {}, t("detail.headers")),
        lines ? h("pre", { dir: "ltr", tabindex: "0" }, lines) : h("p", { class: "muted" }, t("detail.no_headers")),
        ...(part.body ? [h("pre", { dir: "ltr", tabindex: "0" }, pretty(part.body))] : [h("p", { class: "muted" }, part.body_note ?? t("detail.no_body"))]),
        ...(part.body && part.body_note ? [h("p", { class: "muted" }, part.body_note)] : [])];
    }

    // A rule that was removed is named in the timeline only.
    const ruleName = (row) => ruleNames.get(row.fault_id)
      ?? timeline.find((entry) => entry.kind === "fault" && entry.row_id === row.id)?.fault_name ?? row.fault_id;
    const related = (row) => rows.filter((one) => one !== row && (one.parent_id === row.id || one.call_id === row.call_id));

    const panels = {
      overview: (row) => [facts([
        [t("detail.status"), outcome(row)], [t("detail.error"), row.error_detail], [t("detail.endpoint"), row.endpoint],
        [t("detail.flow"), row.flow], [t("detail.started"), row.started_at], [t("detail.duration"), span(row.duration_ms)],
        [t("network.col.size"), size(row.response_bytes)], [t("detail.attempt"), row.attempt], [t("detail.source"), row.source],
        [t("detail.parent"), row.parent_id && (byId.has(row.parent_id) ? link(row.parent_id) : row.parent_id)],
        [t("detail.call"), related(row).length ? h("span", {}, ...related(row).flatMap((one) => [link(one.id), " "])) : row.call_id],
      ])],
      request: (row) => message(row.request, t("detail.no_body")),
      response: (row) => message(row.response, t("detail.no_response")),
      timing: (row) => {
        const names = ["queue", "dns", "connect", "tls", "send", "wait", "receive"].filter((name) => row.timings[`${name}_ms`] !== undefined);
        const total = Math.max(row.timings.total_ms ?? 0, names.reduce((sum, name) => sum + row.timings[`${name}_ms`], 0), 0.001);
        let start = 0;
        return [...names.map((name) => {
          const value = row.timings[`${name}_ms`], bar = h("i");
          bar.style.insetInlineStart = `${start / total * 100}%`;
          bar.style.width = `${value / total * 100}%`;
          start += value;
          return h("div", { class: "phase" }, h("span", {}, t(`timing.${name}`)), h("span", { class: "fall" }, bar), h("span", {}, plain(span(value))));
        }), facts([[t("timing.total"), span(row.timings.total_ms)]])];
      },
      faults: (row) => {
        if (!isFaulted(row)) return [h("p", { class: "muted" }, t("detail.no_faults"))];
        const rule = faults.find((fault) => fault.id === row.fault_id);
        return [facts([[t("timeline.kind.fault"), ruleName(row)]]),
          ...(rule ? [h("pre", { dir: "ltr", tabindex: "0" }, JSON.stringify({ match: rule.match, when: rule.when, action: rule.action }, null, 2))] : [])];
      },
      drift: (row) => [h("table", {}, h("thead", {}, h("tr", {}, ...["timeline.what", "drift.expected", "drift.got"].map((key) => h("th", { scope: "col" }, t(key))))),
        h("tbody", {}, ...row.drift.map((one) => h("tr", {}, ...[`${one.where} ${one.pointer}`, one.expected, one.got].map((text) => h("td", {}, plain(String(text))))))))],
      redactions: (row) => row.redactions.length
        ? [h("ul", {}, ...row.redactions.map((one) => h("li", {}, plain(`${one.where}: ${one.kind} × ${one.count}`))))]
        : [h("p", { class: "muted" }, t("detail.no_redactions"))],
    };
    """#

  /// The timeline, as an axis and as a table.
  static let timeline = #"""
    const stateName = (name) => words.en[`timeline.state.${name}`] ? t(`timeline.state.${name}`) : name;

    function whatOf(entry) {
      const change = [entry.from, entry.to].filter(Boolean).map((one) => entry.kind === "session" ? stateName(one) : one);
      // Only the states of a session are in the language of the page, and are read in its direction.
      const arrow = entry.kind === "session" && isRightToLeft() ? " ← " : " → ";
      return [entry.fault_name ?? entry.name, change.join(arrow), entry.reason].filter(Boolean).join(" · ");
    }

    function showTimeline() {
      const times = [...timeline.map((entry) => Date.parse(entry.at)), ...rows.map((row) => row.begins)];
      const from = Math.min(...times), scale = 98 / Math.max(1, Math.max(...times) - from);
      const mark = (at, title, isBad, act) => {
        const node = h("button", { type: "button", title, "aria-label": title, tabindex: "-1", class: isBad ? "bad" : undefined });
        node.style.insetInlineStart = `${(at - from) * scale}%`;
        node.addEventListener("click", act);
        return node;
      };
      const lane = (name, marks) => h("div", { class: "lane" }, h("span", { class: "muted" }, name), h("div", { class: "track" }, ...marks));
      const kinds = ["session", "analytics", "fault", "clock"].filter((kind) => timeline.some((entry) => entry.kind === kind));
      const kindName = (kind) => words.en[`timeline.kind.${kind}`] ? t(`timeline.kind.${kind}`) : kind;
      const lanes = h("div", { class: "lanes", role: "group", "aria-label": t("timeline.title") }, ...kinds.map((kind) =>
        lane(kindName(kind), timeline.filter((entry) => entry.kind === kind).map((entry) =>
          mark(Date.parse(entry.at), `${time(entry.at)} ${whatOf(entry)}`, entry.to === "error", () => $(`entry-${entry.seq}`).scrollIntoView({ block: "center" }))))),
        lane(t("network.title"), rows.map((row) => mark(row.begins, `${time(row.started_at)} ${row.method} ${row.path}`, hasFailed(row), () => reveal(row.id)))));
      const table = h("table", {}, h("thead", {}, h("tr", {}, ...["time", "kind", "what", "request"].map((key) => h("th", { scope: "col" }, t(`timeline.${key}`))))),
        h("tbody", {}, ...timeline.map((entry) => h("tr", { id: `entry-${entry.seq}` }, h("td", {}, plain(time(entry.at))), h("td", {}, kindName(entry.kind)),
          h("td", { dir: "auto" }, whatOf(entry)), h("td", {}, byId.has(entry.row_id) ? link(entry.row_id) : "")))));
      $("events").replaceChildren(...(timeline.length ? [lanes, table] : [h("p", { class: "none" }, t("timeline.empty_title"))]));
    }
    """#

  /// The header, the keys of the whole page, and the first view.
  static let start = #"""
    function showFacts() {
      const left = about.rows ? ` (+${about.rows}: rows.json)` : "";
      $("facts").replaceChildren(`${t("export.rows")}: ${shown.length === rows.length ? "" : `${shown.length} / `}${rows.length}${left} · `,
        plain(about.backend), ` · Understudy ${about.understudy} · `, plain(about.created_at));
    }

    function chooseView(name) {
      state.view = name;
      $("network").hidden = name !== "network";
      $("events").hidden = name === "network";
      for (const one of $("views").children) {
        one.setAttribute("aria-selected", String(one.dataset.name === name));
        one.tabIndex = one.dataset.name === name ? 0 : -1;
      }
      for (const id of ["filter", "failed", "faulted", "grouped"]) $(id).hidden = name !== "network";
      $("said").hidden = $("said").textContent === "" || name !== "network";
    }

    function speak(language) {
      state.language = language;
      document.documentElement.lang = language;
      document.documentElement.dir = ["ar", "he"].includes(language) ? "rtl" : "ltr";
      $("language").setAttribute("aria-label", t("palette.group.language"));
      $("views").replaceChildren(tab("network", t("network.title"), true, "network"), tab("timeline", t("timeline.title"), false, "events"));
      for (const one of $("views").children) one.addEventListener("click", () => chooseView(one.dataset.name));
      $("filter").setAttribute("aria-label", t("network.filter"));
      $("filter").placeholder = t("network.filter_hint");
      $("list").setAttribute("aria-label", t("network.grid"));
      $("splitter").setAttribute("aria-label", t("network.splitter"));
      for (const [id, key] of [["failed", "network.quick.failed"], ["faulted", "network.quick.faulted"], ["grouped", "network.group"]]) $(id).textContent = t(key);
      const columns = [["seq", "most"], ["time", "most"], ["method"], ["path"], ["status"], ["ms", "end most"], ["size", "end wide"], ["fall", "wide"]];
      $("columns").replaceChildren(...columns.map(([name, kind]) => h("span", { class: kind }, t(`network.col.${name}`))));
      chooseView(state.view);
      showGrid();
      showTimeline();
      showDetail();
    }

    function setSplit(part) {
      const kept = Math.min(80, Math.max(20, part));
      document.documentElement.style.setProperty("--split", `${kept}%`);
      $("splitter").setAttribute("aria-valuenow", String(Math.round(kept)));
    }

    $("language").append(...Object.keys(words).map((code) => h("option", { value: code, lang: code }, words[code].name)));
    $("language").addEventListener("change", () => speak($("language").value));
    $("filter").addEventListener("input", showGrid);
    $("filter").addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "Enter") { $("list").focus(); event.preventDefault(); } });
    $("failed").addEventListener("click", () => toggleTerm("is:failed"));
    $("faulted").addEventListener("click", () => toggleTerm("is:faulted"));
    $("grouped").addEventListener("click", () => { state.isGrouped = !state.isGrouped; showGrid(); });
    $("list").addEventListener("keydown", gridKey);
    $("detail").addEventListener("keydown", (event) => { if (event.key === "Escape") closeRow(); });
    tabKeys($("views"), chooseView);
    $("splitter").addEventListener("pointerdown", (event) => { $("splitter").setPointerCapture(event.pointerId); event.preventDefault(); });
    $("splitter").addEventListener("pointermove", (event) => {
      if (!$("splitter").hasPointerCapture(event.pointerId)) return;
      const box = $("network").getBoundingClientRect(), part = (event.clientX - box.left) / box.width * 100;
      setSplit(isRightToLeft() ? 100 - part : part);
    });
    $("splitter").addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
      if (step) setSplit(Number($("splitter").getAttribute("aria-valuenow")) + (isRightToLeft() ? -step : step));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(document.activeElement.tagName)) return;
      chooseView("network");
      $("filter").focus();
      event.preventDefault();
    });
    const asked = (navigator.languages ?? [navigator.language]).map((one) => one.slice(0, 2)).find((one) => Object.hasOwn(words, one)) ?? "en";
    setSplit(52);
    $("language").value = asked;
    speak(asked);
    """#
}
