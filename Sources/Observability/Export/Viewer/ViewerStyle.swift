/// How the viewer page looks: like the console's network page, in light and dark, in either direction, wide and narrow.
enum ViewerStyle {
  static let text = #"""
    :root {
      color-scheme: light dark; font: 13px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      --mono: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace;
      --canvas: light-dark(#fafbfc, #14171f); --surface: light-dark(#fff, #1b1f28); --sunken: light-dark(#f0f2f5, #252a35);
      --border: light-dark(#dde1e7, #3a4150); --text: light-dark(#1a2030, #eceff5); --muted: light-dark(#566072, #adb5c3);
      --accent: light-dark(#3b4fd8, #9db0ff); --selected: light-dark(#e4e9fb, #2c3865); --bad: light-dark(#b3261e, #ff9a8f);
      --bad-tint: light-dark(#fdf0ee, #35211f); --warn: light-dark(#7d5200, #f5c66b); --ok: light-dark(#1f6b3a, #7fd79f);
      --bar: light-dark(#7b8ce8, #6f82e6); --split: 52%;
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; background: var(--canvas); color: var(--text); }
    header { padding: 8px 12px; border-block-end: 1px solid var(--border); background: var(--surface); display: grid; gap: 8px; }
    header > div { display: flex; gap: 8px 12px; align-items: center; flex-wrap: wrap; }
    h1 { font-size: 15px; margin: 0; }
    #facts { margin: 0; color: var(--muted); flex: 1; min-width: 12em; overflow-wrap: anywhere; }
    input, button, select { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--border); border-radius: 6px; padding: 3px 9px; min-height: 28px; }
    input { flex: 1; min-width: min(18em, 100%); font-family: var(--mono); font-size: 12px; }
    input[aria-invalid=true] { border-color: var(--bad); outline-color: var(--bad); }
    button { cursor: pointer; }
    button:hover { background: var(--sunken); }
    button[aria-pressed=true], [role=tab][aria-selected=true] { background: var(--selected); border-color: var(--accent); }
    button.link { border: 0; background: none; padding: 0; min-height: 24px; color: var(--accent); text-decoration: underline; text-align: start; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    #list:focus-visible, #detail:focus-visible, #events:focus-visible { outline-offset: -2px; }
    [role=tablist] { display: flex; gap: 4px; flex-wrap: wrap; }
    main { flex: 1; min-height: 0; display: grid; }
    #network { display: grid; min-height: 0; grid-template-columns: minmax(0, 1fr); }
    #network.open { grid-template-columns: minmax(15em, var(--split)) 7px minmax(15em, 1fr); }
    #splitter { cursor: col-resize; background: var(--sunken); border-inline: 1px solid var(--border); touch-action: none; }
    .grid { display: flex; flex-direction: column; min-height: 0; min-width: 0; }
    #list, #detail, #events { overflow: auto; min-height: 0; background: var(--surface); }
    #list { flex: 1; }
    .row, .head, .group { display: grid; gap: 8px; align-items: center; padding: 0 12px; min-height: 28px; }
    .row, .head { grid-template-columns: 3.5rem 7.2rem 4.5rem minmax(9rem, 3fr) minmax(7rem, 1fr) 5rem 5.5rem minmax(5rem, 2fr); }
    .open .row, .open .head { grid-template-columns: 3.5rem 7.2rem 4.5rem minmax(7rem, 3fr) minmax(7rem, 1fr) 5rem; }
    .open .wide { display: none; }
    .head { color: var(--muted); border-block-end: 1px solid var(--border); background: var(--sunken); font-size: 12px; }
    .row { content-visibility: auto; contain-intrinsic-size: auto 28px; cursor: default; font-variant-numeric: tabular-nums; }
    .row > span, .head > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .row > .end, .head > .end { text-align: end; }
    [dir=rtl] .row > [dir=ltr] { text-align: right; }
    .row.bad { background: var(--bad-tint); } .row.bad .status { color: var(--bad); }
    .status.ok { color: var(--ok); } .fault { color: var(--warn); }
    .group { grid-template-columns: 1.2em minmax(0, 1fr) auto; background: var(--sunken); font-weight: 600; cursor: default; border-block-start: 1px solid var(--border); }
    .group .muted { font-weight: 400; }
    .group::before { content: "▾"; } .group[aria-expanded=false]::before { content: "▸"; }
    [dir=rtl] .group[aria-expanded=false]::before { content: "◂"; }
    [aria-selected=true].row, [aria-selected=true].group { background: var(--selected); box-shadow: inset 3px 0 var(--accent); }
    [dir=rtl] [aria-selected=true].row, [dir=rtl] [aria-selected=true].group { box-shadow: inset -3px 0 var(--accent); }
    .level .path { padding-inline-start: 1em; } [dir=rtl] .level .path { padding-inline: 0 1em; }
    .fall { position: relative; height: 10px; } .fall i { position: absolute; inset-block: 0; min-width: 2px; border-radius: 2px; background: var(--bar); }
    .bad .fall i { background: var(--bad); }
    #detail { padding: 8px 14px 24px; }
    #detail .top { display: flex; gap: 8px; align-items: start; }
    h2 { font-size: 14px; margin: 4px 0 8px; overflow-wrap: anywhere; flex: 1; } h3 { font-size: 13px; margin: 14px 0 4px; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; margin: 12px 0; }
    dt, .muted { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
    pre { font: 12px/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunken); padding: 8px 10px; border-radius: 6px; margin: 4px 0 12px; }
    .phase { display: grid; grid-template-columns: 7em minmax(0, 1fr) 6em; gap: 8px; align-items: center; }
    #events { padding: 12px; }
    .lanes { position: relative; display: grid; gap: 6px; margin-block-end: 16px; }
    .lane { display: grid; grid-template-columns: 7em minmax(0, 1fr); gap: 8px; align-items: center; }
    .track { position: relative; height: 22px; background: var(--sunken); border-radius: 4px; overflow: hidden; }
    .track > * { position: absolute; inset-block: 4px; min-width: 5px; padding: 0; min-height: 0; border: 0; border-radius: 2px; background: var(--bar); }
    .track > .bad { background: var(--bad); }
    table { border-collapse: collapse; width: 100%; } th, td { text-align: start; padding: 4px 10px 4px 0; border-block-end: 1px solid var(--border); vertical-align: top; }
    [dir=rtl] th, [dir=rtl] td { padding: 4px 0 4px 10px; text-align: right; }
    th { color: var(--muted); font-weight: 500; }
    .none { padding: 24px; text-align: center; color: var(--muted); }
    @media (max-width: 760px) {
      #network.open { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(8em, 42%) minmax(0, 1fr); }
      #splitter { display: none; } #detail { border-block-start: 2px solid var(--border); }
      .row, .head, .open .row, .open .head { grid-template-columns: 4.5rem minmax(5rem, 1fr) 7rem; }
      .wide, .most { display: none; }
    }
    @media (prefers-contrast: more) { :root { --border: currentColor; --muted: currentColor; } }
    @media (forced-colors: active) { [aria-selected=true] { outline: 2px solid Highlight; } .fall i, .track > * { background: CanvasText; } }
    @media print { body { height: auto; } #list, #detail, #events { overflow: visible; } header div + div, #splitter { display: none; } }
    """#
}
