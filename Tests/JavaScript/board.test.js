// @ts-check
import {
  besideStage,
  columns,
  cueBeside,
  Freshness,
  moved,
  MoveHistory,
  sideStep,
  UnansweredMoves,
  withCue,
} from "../../Public/assets/js/models/cues/board.js";
import { same } from "./check.js";

/** @param {string} id @param {string} stage @param {number} position */
const cue = (id, stage, position) => ({
  cue_id: id,
  prompt: `Prompt ${id}`,
  answer: `Antwört ${id}`,
  stage,
  position,
  updated_at: "2026-01-01T00:00:00.000Z",
});

const deck = [cue("b", "new", 1), cue("a", "new", 0), cue("c", "review", 0), cue("d", "new", 1), cue("x", "parked", 0)];

Deno.test("every stage has a column, one that is not known comes last, cues stand by position", () => {
  same(columns(deck).map((one) => [one.stage, one.cues.map(({ cue_id: id }) => id).join("")]), [
    ["new", "abd"],
    ["learning", ""],
    ["review", "c"],
    ["mastered", ""],
    ["parked", "x"],
  ]);
});

Deno.test("a filter looks at prompt and answer without minding marks and case, and counts what it hides", () => {
  const [fresh, , review] = columns(deck, " ANTWORT b ");
  same([fresh?.cues.length, fresh?.hidden, review?.hidden], [1, 2, 1]);
  same(columns(deck, "[.*")[0]?.cues.length, 0);
});

Deno.test("a moved cue is marked as on its way and loses its conflict; an unknown one changes nothing", () => {
  const [first] = moved([{ ...cue("a", "new", 0), conflict: { stage: "review" } }], "a", "learning");
  same([first?.stage, first?.pending, first?.conflict], ["learning", true, null]);
  same(moved(deck, "nobody", "learning"), deck);
  same(withCue(deck, cue("a", "mastered", 9)).find((one) => one.cue_id === "a")?.stage, "mastered");
  same(withCue(deck, cue("new one", "new", 9)).length, deck.length + 1);
});

Deno.test("arrows lead to the nearest card, over empty columns, and turn with the text", () => {
  const board = columns(deck);
  same(["ArrowDown", "ArrowUp", "End", "Home"].map((key) => cueBeside(board, "b", key, false)), ["d", "a", "d", "a"]);
  same([cueBeside(board, "d", "ArrowRight", false), cueBeside(board, "d", "ArrowLeft", true)], ["c", "c"]);
  same([cueBeside(board, "a", "ArrowUp", false), cueBeside(board, "a", "ArrowLeft", false)], [null, null]);
  same([cueBeside(board, "gone", "ArrowUp", false), cueBeside(board, "a", "x", false)], [null, null]);
  same([sideStep("ArrowLeft", false), sideStep("ArrowLeft", true), sideStep("Enter", true)], [-1, 1, 0]);
});

Deno.test("beside the first and the last stage there is none", () => {
  const order = ["new", "learning", "review"];
  same([besideStage(order, "new", -1), besideStage(order, "new", 1), besideStage(order, "review", 1)], [
    null,
    "learning",
    null,
  ]);
  same(besideStage(order, "gone", 1), null);
});

Deno.test("moves are taken back newest first; one that something else overtook or that was refused is forgotten", () => {
  const history = new MoveHistory();
  const first = { cueId: "a", from: "new", to: "review" };
  const second = { cueId: "b", from: "new", to: "mastered" };
  history.push(first);
  history.push(second);
  same(history.pop([cue("a", "review", 0), cue("b", "learning", 0)]), first);
  same(history.pop([]), null);
  history.push(first);
  history.push(second);
  history.drop(second);
  same(history.pop([cue("a", "review", 0), cue("b", "mastered", 0)]), first);
  for (let count = 0; count < 200; count += 1) history.push(first);
  same(history.moves.length, 50);
});

Deno.test("the backend is away after a failed fetch or a second old answer, until an answer is its own", () => {
  const freshness = new Freshness();
  /** @param {string | undefined} source */
  const after = (source) => {
    freshness.read(source);
    return freshness.isAway;
  };
  same(["cache", "cache", "cache", "network", "cache"].map(after), [false, true, true, false, false]);
  freshness.isAway = true;
  same(["cache", undefined].map(after), [true, false]);
});

Deno.test("what arrives late does not undo the stage chosen last", () => {
  const moves = new UnansweredMoves();
  const stageOf = () => moves.over(deck).find((one) => one.cue_id === "a")?.stage;
  same(stageOf(), "new");
  moves.begin("a", "learning");
  moves.begin("a", "mastered");
  same(stageOf(), "mastered", "the answers still say new");
  moves.end("a");
  same(stageOf(), "mastered", "one answer is still missing");
  moves.end("a");
  same(stageOf(), "new", "the backend's word counts");
});
