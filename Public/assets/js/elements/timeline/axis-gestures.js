// @ts-check

/** Zooming and moving by wheel, mouse and fingers. */
export class AxisGestures {
  /** Where each pointer is, in pixels. @type {Map<number, number>} */
  #pointers = new Map();
  #isMoving = false;
  #field;
  #deeds;

  /**
   * @param {HTMLElement} field
   * @param {{zoom(factor: number, part: number): void, move(part: number): void}} deeds parts are of the field's width
   */
  constructor(field, deeds) {
    this.#field = field;
    this.#deeds = deeds;
    field.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    field.addEventListener("pointerdown", (event) => this.#down(event));
    field.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      field.addEventListener(name, (event) => this.#pointers.delete(event.pointerId));
    }
    // A drag is not a press.
    field.addEventListener("click", (event) => {
      if (this.#isMoving) event.preventDefault();
      if (this.#isMoving) event.stopPropagation();
      this.#isMoving = false;
    }, { capture: true });
  }

  /** Whether a button or a finger is down, so that the pressed element must stay in place. */
  get isDown() {
    return this.#pointers.size > 0;
  }

  /** The part of the tracks at which a pointer is. @param {number} x */
  #part(x) {
    const { left, width } = this.#tracks;
    return Math.min(1, Math.max(0, (x - left) / Math.max(width, 1)));
  }

  get #tracks() {
    return (this.#field.querySelector(".track") ?? this.#field).getBoundingClientRect();
  }

  /** Without Ctrl the wheel scrolls the page; a touchpad moves sideways. @param {WheelEvent} event */
  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#deeds.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.005), this.#part(event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.#deeds.move((event.deltaX || event.deltaY) / Math.max(this.#tracks.width, 1));
    }
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    this.#isMoving = false;
    this.#pointers.set(event.pointerId, event.clientX);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    // The release was elsewhere, or the browser took it.
    if (!event.buttons) return void this.#pointers.delete(event.pointerId);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    const by = event.clientX - before;
    // A hand that presses is not quite still.
    if (!this.#isMoving && Math.abs(by) < 4) return;
    if (!this.#isMoving) this.#field.setPointerCapture(event.pointerId);
    this.#isMoving = true;
    this.#pointers.set(event.pointerId, event.clientX);
    if (other === undefined) return this.#deeds.move(-by / Math.max(this.#tracks.width, 1));
    const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
    if (was > 8 && is > 8) this.#deeds.zoom(was / is, this.#part((event.clientX + other) / 2));
  }
}
