extension ViewerScript {
  /// The rows, grouped by user action.
  static let grid = #"""
    let lines = [], shown = [];

    const lineKey = (line) => line === undefined ? undefined : line.row ? `row ${line.row.id}` : `flow ${line.flow}`;

    // The lines of the grid: rows, or groups with the rows of an action, in the order of their first rows.
    function arrange() {
      if (!state.isGrouped) return shown.map((row) => ({ row }));
      const flows = new Map();
      for (const row of shown) {
        if (!flows.has(row.flow_id)) flows.set(row.flow_id, []);
        flows.get(row.flow_id).push(row);
      }
      return [...flows].flatMap(([flow, members]) =>
        [{ flow, members }, ...(state.closed.has(flow) ? [] : members.map((row) => ({ row, level: 2 })))]);
    }

    function showGrid() {
      const { test, isValid } = parseFilter($("filter").value), key = lineKey(lines[state.cursor]);
      $("filter").setAttribute("aria-invalid", String(!isValid));
      shown = rows.filter(test);
      lines = arrange();
      const from = Math.min(...shown.map((row) => row.begins)), to = Math.max(...shown.map((row) => row.begins + (row.duration_ms ?? 0)));
      const scale = 100 / Math.max(1, to - from);
      $("list").replaceChildren(...lines.map((line, index) => line.row ? rowLine(line, index, from, scale) : groupLine(line, index)));
      state.cursor = -1;
      const again = lines.findIndex((line) => lineKey(line) === key);
      if (again >= 0) setCursor(again, false);
      else $("list").removeAttribute("aria-activedescendant");
      for (const [id, term] of [["failed", "is:failed"], ["faulted", "is:faulted"]]) $(id).setAttribute("aria-pressed", String(hasTerm(term)));
      $("grouped").setAttribute("aria-pressed", String(state.isGrouped));
      $("said").textContent = shown.length ? "" : t("network.none_title");
      $("said").hidden = shown.length > 0 || state.view !== "network";
      $("list").setAttribute("aria-rowcount", String(lines.length));
      showFacts();
    }

    function groupLine({ flow, members }, index) {
      const failed = members.filter(hasFailed).length;
      const line = h("div", { class: "group", role: "row", id: `line-${index}`, "aria-level": "1", "aria-selected": "false",
        "aria-expanded": String(!state.closed.has(flow)), "data-flow": flow },
        h("bdi", { role: "gridcell" }, members[0].flow || flow.slice(0, 8)),
        h("span", { role: "gridcell", class: "muted" }, `${members.length}${failed ? ` · ${t("network.quick.failed")}: ${failed}` : ""}`));
      line.addEventListener("click", () => { setCursor(index, false); toggleGroup(flow); });
      return line;
    }

    function rowLine({ row, level }, index, from, scale) {
      const cell = (text, name) => h("span", { role: "gridcell", class: name }, text);
      // Cut at the end of what it says, not at that of the line.
      const place = h("span", { role: "gridcell", class: "path", dir: "ltr", title: target(row) }, target(row));
      const bar = h("i");
      bar.style.insetInlineStart = `${(row.begins - from) * scale}%`;
      bar.style.width = `${(row.duration_ms ?? 0) * scale}%`;
      const status = h("span", { role: "gridcell", class: `status ${hasFailed(row) ? "" : "ok"}`, dir: "ltr", title: outcome(row) });
      if (isFaulted(row)) status.append(h("span", { class: "fault", role: "img", "aria-label": t("detail.faults") }, "⚡ "));
      status.append(outcome(row));
      const line = h("div", { class: `row${hasFailed(row) ? " bad" : ""}${level ? " level" : ""}`, role: "row", id: `line-${index}`,
        "aria-level": level && String(level), "aria-selected": "false", "data-row": row.id },
        cell(String(row.seq), "most"), cell(time(row.started_at), "most"), cell(row.method), place, status,
        cell(plain(span(row.duration_ms)), "end most"), cell(plain(size(row.response_bytes)), "end wide"), h("span", { class: "fall wide" }, bar));
      line.addEventListener("click", () => { setCursor(index, true); $("list").focus(); });
      return line;
    }

    // Moves to a line; a row's details open with it.
    function setCursor(index, isOpened) {
      const line = lines[index];
      if (!line) return;
      $(`line-${state.cursor}`)?.setAttribute("aria-selected", "false");
      state.cursor = index;
      const node = $(`line-${index}`);
      node.setAttribute("aria-selected", "true");
      $("list").setAttribute("aria-activedescendant", node.id);
      if (line.row && isOpened) openRow(line.row);
      node.scrollIntoView({ block: "nearest" });
    }

    function toggleGroup(flow, isClosed = !state.closed.has(flow)) {
      if (isClosed) state.closed.add(flow);
      else state.closed.delete(flow);
      showGrid();
    }

    function gridKey(event) {
      const line = lines[state.cursor];
      const forward = isRightToLeft() ? "ArrowLeft" : "ArrowRight", back = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
      const page = Math.max(1, Math.floor($("list").clientHeight / 28) - 1);
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -lines.length, End: lines.length }[event.key];
      if (step !== undefined) setCursor(Math.min(Math.max(state.cursor + step, 0), lines.length - 1), true);
      else if (line?.flow !== undefined && [forward, back, "Enter", " "].includes(event.key)) {
        toggleGroup(line.flow, event.key === forward ? false : event.key === back ? true : undefined);
      } else if (line?.row && event.key === back && line.level) {
        setCursor(lines.findIndex((one) => one.flow === line.row.flow_id), false);
      } else if (line?.row && (event.key === "Enter" || event.key === forward)) {
        openRow(line.row);
        $("detail").focus();
      } else if (event.key === "Escape") closeRow();
      else return;
      event.preventDefault();
    }

    const hasTerm = (term) => ` ${$("filter").value} `.includes(` ${term} `);

    function toggleTerm(term) {
      const text = $("filter").value.trim();
      $("filter").value = hasTerm(term) ? ` ${text} `.replace(` ${term} `, " ").trim() : `${text} ${term}`.trim();
      showGrid();
    }
    """#
}
