// @ts-check
/**
 * Does what a key does to the line with the focus: opens, folds, selects, pins; false when it is no such key.
 * @param {import("./network-grid.js").NetworkGrid} grid
 * @param {string} key
 * @param {number} at the line's place
 */
export function actOn(grid, key, at) {
  const line = grid.lines.line(at);
  const isRightToLeft = getComputedStyle(grid).direction === "rtl";
  const [inward, outward] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  if (line.kind === "flow" || line.kind === "call") {
    if (key === "Enter" || (key === inward && !line.isOpen) || (key === outward && line.isOpen)) grid.fold(at);
    else if (key === " ") grid.toggle([...grid.lines.slotsOf(line.kind, line.id)]);
    else return false;
    return true;
  }
  if (line.kind !== "row") return false;
  if (key === "Enter" || key === "o") grid.open(grid.active ?? "");
  else if (key === " ") grid.toggle([line.slot]);
  else if (key === "p") grid.dispatchEvent(new CustomEvent("pin", { detail: grid.active }));
  else if (key === outward && grid.lines.hasGroups) {
    let head = at;
    while (head > 0 && (grid.lines.values[head] ?? 0) >= 0) head -= 1;
    grid.moveTo(head, false);
  } else return false;
  return true;
}
