"""Presses the controls of a page as a person does, and says which of them are out of reach or do nothing."""

from playwright.sync_api import Error

CONTROLS = (
    "a[href], button, summary, select, textarea, input:not([type=hidden]), label.kind, .grid-window .grid-row, "
    "[role=button], [role=tab], [role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=switch]"
)
# The controls that show, each with what it is, and what it is called (without a count, which changes). Of many that are alike, the first and the last count.
LIST = """async ([root, css]) => {
  const keyOf = (one) => one.id || one.dataset.item || one.dataset.key || "";
  for (let frame = 0; frame < 3; frame += 1) await new Promise((done) => requestAnimationFrame(done));
  const shown = [...document.querySelector(root).querySelectorAll(css)].filter((one) => {
    const box = one.getBoundingClientRect();
    return one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && box.width > 4 && box.height > 4 &&
      box.bottom + scrollY > 0 && one.getAttribute("aria-disabled") !== "true" && !one.disabled &&
      !(one.type === "radio" && one.checked);
  });
  const kinds = Map.groupBy(shown, (one) => `${one.tagName} ${one.className} ${one.role === "option" ? "" : keyOf(one)}`);
  const chosen = new Set([...kinds.values()].flatMap((all) => all.length > 8 ? [all.at(0), all.at(-1)] : all));
  const named = (one) => one.getAttribute("aria-label") || one.innerText || one.textContent || one.labels?.[0]?.innerText || one.id;
  return shown.filter((one) => chosen.has(one)).map((one) => ({
    tag: one.tagName, type: one.type ?? "", role: one.role ?? "", id: keyOf(one),
    name: named(one).trim().replace(/\\s+/g, " ").replace(/ \\d+$/, "").slice(0, 60),
  }));
}"""
# Where the control is pressed, and what lies there instead of it, if anything does.
AIM = """async ([root, css, wanted]) => {
  const keyOf = (one) => one.id || one.dataset.item || one.dataset.key || "";
  const text = (one) => one.getAttribute("aria-label") || one.innerText || one.textContent || one.labels?.[0]?.innerText || one.id;
  const named = (one) => text(one).trim().replace(/\\s+/g, " ").replace(/ \\d+$/, "").slice(0, 60);
  // What is made anew has another id then.
  const hasNewId = /[0-9a-f]{8}-[0-9a-f]{4}-/.test(wanted.id);
  const find = () => [...document.querySelector(root)?.querySelectorAll(css) ?? []].find((each) => each.tagName === wanted.tag &&
    (wanted.id && !hasNewId ? keyOf(each) === wanted.id : named(each) === wanted.name) && each.checkVisibility());
  for (let tries = 0; !find() && tries < 100; tries += 1) await new Promise((done) => setTimeout(done, 20));
  const one = find();
  if (!one) return null;
  one.scrollIntoView({ block: "center" });
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  // What opens moves for a moment.
  for (let before = ""; ;) {
    await frame();
    await frame();
    const { x, y } = one.getBoundingClientRect();
    if (before === `${x} ${y}`) break;
    before = `${x} ${y}`;
  }
  const box = one.getClientRects()[0];
  const [x, y] = [box.x + Math.min(box.width / 2, 60), box.y + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  window.pressed = one;
  return { x, y, covered: one.contains(hit) ? "" : hit?.outerHTML.slice(0, 80) ?? "nothing" };
}"""
# What ticks by itself is no effect.
WATCH = """() => {
  window.effects = [];
  const ticking = "[data-session], #inbox-expiry, #resend, [data-fact], .lifetime, #tokens";
  // A menu closes at every choice: that alone is no effect.
  const isMenu = (node) => node.id === "context-menu";
  new MutationObserver((list) => {
    for (const one of list) {
      if (!one.addedNodes.length && one.removedNodes.length && [...one.removedNodes].every(isMenu)) continue;
      if (one.attributeName === "aria-expanded" && one.target.matches('[aria-haspopup="menu"]')) continue;
      const element = one.target instanceof Element ? one.target : one.target.parentElement;
      if (!element?.closest(ticking)) window.effects.push(`${one.type} ${one.attributeName ?? ""} ${element?.tagName}#${element?.id}`);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of ["change", "toggle"]) addEventListener(name, ({ target }) => isMenu(target) || window.effects.push(name), true);
  // A column that has no room on the screen is kept for a wider one.
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function set(name, value) {
    if (name === "understudy.grid" && this.getItem(name) !== value) window.effects.push(name);
    setItem.call(this, name, value);
  };
  for (const name of ["alert", "print"]) window[name] = () => window.effects.push(name);
}"""
EFFECT = """async (isField) => {
  const deadline = performance.now() + 3000;
  while (performance.now() < deadline) {
    // On another page.
    if (!window.pressed) return true;
    // A field is reached if it takes the focus.
    if (isField ? document.activeElement === window.pressed : window.effects.length) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}"""


def is_field(control):
    """Whether a press only puts the focus on a control."""
    return control["tag"] in ("SELECT", "TEXTAREA") or (control["tag"] == "INPUT" and control["type"] not in ("checkbox", "radio"))


def controls(page, root):
    """The controls below an element that can be pressed."""
    return page.evaluate(LIST, [root, CONTROLS])


def press(page, x, y, by_touch):
    """Presses a place on the page."""
    if by_touch:
        page.touchscreen.tap(x, y)
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.up()


def aim(page, root, control):
    """Scrolls to a control; gives where to press and what covers that place, or None if the control is not there."""
    return page.evaluate(AIM, [root, CONTROLS, control])


def fault_of(page, root, control, by_touch):
    """Presses a control that `controls` gave; says what is wrong with it, or gives None."""
    label = f"{control['tag']} “{control['name']}”"
    place = aim(page, root, control)
    if place is None:
        return f"{label} is not there any more"
    if place["covered"]:
        return f"{label} is covered by {place['covered']}"
    page.evaluate(WATCH)
    left = []

    def note(what):
        if "/events" not in what.url and ("/api/" in what.url or what == page.main_frame):
            left.append(what)

    listeners = {"request": note, "framenavigated": note, "filechooser": lambda chooser: left.append(chooser)}
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        press(page, place["x"], place["y"], by_touch)
        worked = bool(left) or page.evaluate(EFFECT, is_field(control))
    except Error as error:
        # The page is on its way to another one.
        if "context was destroyed" not in error.message and "navigation" not in error.message:
            raise
        worked = True
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    return None if worked or left else f"{label} does nothing"
