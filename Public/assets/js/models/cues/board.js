// @ts-check
import { folded } from "../shell/language.js";

/**
 * A cue as `GET /api/cues` lists it; `conflict` is set while the backend has a different stage than an unsent edit.
 * @typedef {{cue_id: string, prompt: string, answer: string, stage: string, position: number, updated_at: string,
 *   pending?: boolean, conflict?: {stage: string} | null}} Cue
 * @typedef {{stage: string, cues: Cue[], hidden: number}} Column
 * @typedef {{cueId: string, from: string, to: string}} Move
 */

/** The stages in the order in which a cue is learned. */
export const stages = ["new", "learning", "review", "mastered"];

/**
 * The columns of the board: the known stages, then any other that a cue is in; cues by position. Filtered cues are counted.
 * @param {Cue[]} cues
 * @param {string} [filter]
 * @returns {Column[]}
 */
export function columns(cues, filter = "") {
  const wanted = folded(filter.trim());
  const others = [...new Set(cues.map((one) => one.stage))].filter((stage) => !stages.includes(stage)).toSorted();
  return [...stages, ...others].map((stage) => {
    const all = cues
      .filter((one) => one.stage === stage)
      .toSorted((a, b) => a.position - b.position || (a.cue_id < b.cue_id ? -1 : 1));
    const shown = all.filter((one) => folded(`${one.prompt} ${one.answer}`).includes(wanted));
    return { stage, cues: shown, hidden: all.length - shown.length };
  });
}

/** The cues with one of them replaced, or added if it is new. @param {Cue[]} cues @param {Cue} cue */
export const withCue = (cues, cue) =>
  cues.some((one) => one.cue_id === cue.cue_id)
    ? cues.map((one) => (one.cue_id === cue.cue_id ? cue : one))
    : [...cues, cue];

/** The cues with one of them in another stage, marked as on its way. @param {Cue[]} cues @param {string} id @param {string} stage */
export const moved = (cues, id, stage) =>
  cues.map((one) => (one.cue_id === id ? { ...one, stage, pending: true, conflict: null } : one));

/**
 * The stage next to one, in the order of the columns; null at the ends.
 * @param {string[]} order
 * @param {string} stage
 * @param {1 | -1} step
 */
export function besideStage(order, stage, step) {
  const at = order.indexOf(stage);
  return at < 0 ? null : order[at + step] ?? null;
}

/**
 * The cue that an arrow key leads to: up and down within the column, left and right to the nearest card of the next column that
 * has one. Left means forward if text runs from right to left.
 * @param {Column[]} board
 * @param {string} id
 * @param {string} key
 * @param {boolean} isRightToLeft
 * @returns {string | null}
 */
export function cueBeside(board, id, key, isRightToLeft) {
  const column = board.findIndex((one) => one.cues.some((cue) => cue.cue_id === id));
  const row = board[column]?.cues.findIndex((cue) => cue.cue_id === id) ?? -1;
  if (row < 0) return null;
  if (key === "Home") return board[column]?.cues[0]?.cue_id ?? null;
  if (key === "End") return board[column]?.cues.at(-1)?.cue_id ?? null;
  if (key === "ArrowUp" || key === "ArrowDown") {
    return board[column]?.cues[row + (key === "ArrowDown" ? 1 : -1)]?.cue_id ?? null;
  }
  const step = sideStep(key, isRightToLeft);
  if (!step) return null;
  for (let at = column + step; at >= 0 && at < board.length; at += step) {
    const { cues } = board[at] ?? { cues: [] };
    if (cues.length) return cues[Math.min(row, cues.length - 1)]?.cue_id ?? null;
  }
  return null;
}

/**
 * Which way along the stages an arrow key points; 0 for other keys.
 * @param {string} key
 * @param {boolean} isRightToLeft
 * @returns {1 | -1 | 0}
 */
export function sideStep(key, isRightToLeft) {
  if (key !== "ArrowLeft" && key !== "ArrowRight") return 0;
  return (key === "ArrowRight") !== isRightToLeft ? 1 : -1;
}

/** Remembers moves so that they can be taken back, newest first. */
export class MoveHistory {
  /** @type {Move[]} */
  moves = [];

  /** @param {Move} move */
  push(move) {
    this.moves.push(move);
    if (this.moves.length > 50) this.moves.shift();
  }

  /** Removes a rejected move. @param {Move} move */
  drop(move) {
    this.moves = this.moves.filter((one) => one !== move);
  }

  /**
   * The latest move whose cue is still where the move put it; other moves are removed.
   * @param {Cue[]} cues
   */
  pop(cues) {
    for (let move = this.moves.pop(); move; move = this.moves.pop()) {
      const { cueId, to } = move;
      if (cues.some((one) => one.cue_id === cueId && one.stage === to)) return move;
    }
    return null;
  }
}

/** Stores the last chosen stage for each cue whose moves have no response yet, so that late data does not undo it. */
export class UnansweredMoves {
  /** @type {Map<string, {stage: string, count: number}>} */
  #chosen = new Map();

  /** @param {string} id @param {string} stage */
  begin(id, stage) {
    this.#chosen.set(id, { stage, count: (this.#chosen.get(id)?.count ?? 0) + 1 });
  }

  /** @param {string} id */
  end(id) {
    const chosen = this.#chosen.get(id);
    if (chosen && --chosen.count <= 0) this.#chosen.delete(id);
  }

  /** The cues as the user sees them. @param {Cue[]} cues */
  over(cues) {
    if (this.#chosen.size === 0) return cues;
    return cues.map((one) => {
      const chosen = this.#chosen.get(one.cue_id);
      return chosen && chosen.stage !== one.stage ? { ...one, stage: chosen.stage, pending: true, conflict: null } : one;
    });
  }
}

/**
 * Detects from the source of the device's responses whether the backend is unreachable. The device's copy is shown first and then
 * updated, so only a second response from the copy, or a failed update, means that the backend did not respond.
 */
export class Freshness {
  isAway = false;
  #keptReads = 0;

  /** Records the source of a response. @param {string | undefined} source */
  read(source) {
    this.#keptReads = source === "cache" ? this.#keptReads + 1 : 0;
    this.isAway = this.#keptReads > 1 || (this.isAway && this.#keptReads > 0);
  }
}
