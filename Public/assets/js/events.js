// @ts-check
// The only stream. One tab of each device reads it and shares it with the others over a channel.
import { ensureDevice, isUnknown, openStream } from "./api.js";
import { delay } from "./helpers/dom.js";

/** After this much silence the stream counts as dead: three heartbeats, in milliseconds. */
const silence = 30_000;

/**
 * The state of the stream; `retryAt` and `since` are in milliseconds of the wall clock.
 * @typedef {{state: "connecting" | "live" | "reconnecting" | "offline", since: number, retryAt?: number}} StreamStatus
 */

/**
 * The events of the tab's device: dispatches `CustomEvent`s named `session`, `network`, `inbox` …, whose `detail` is the data;
 * `gap` if events were missed; `status` with a {@link StreamStatus}.
 */
class Events extends EventTarget {
  /** @type {StreamStatus} */
  status = { state: "connecting", since: Date.now() };
  /** @type {string | null} */
  #lastId = null;
  /** @type {AbortController | null} */
  #running = null;
  /** @type {BroadcastChannel | null} */
  #channel = null;
  #isLeader = false;

  /** Starts the stream, which pauses while the page is in the back-forward cache. */
  start() {
    addEventListener("pagehide", () => this.#stop());
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.#run();
    });
    addEventListener("online", () => this.wake?.());
    this.#run();
  }

  #stop() {
    this.#running?.abort();
    this.#running = null;
    this.#channel?.close();
    this.#channel = null;
    this.#isLeader = false;
  }

  async #run() {
    this.#stop();
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const device = await ensureDevice(signal);
        this.#listen(device.device_id);
        await navigator.locks.request(`understudy-events-${device.device_id}`, { signal }, () => this.#lead(signal));
        attempt = 0;
      } catch {
        await this.#pause(attempt, null, signal);
      }
    }
  }

  /** @param {string} device */
  #listen(device) {
    this.#channel?.close();
    const channel = new BroadcastChannel(`understudy-events-${device}`);
    channel.addEventListener("message", ({ data }) => {
      if (data.type === "hello") {
        if (this.#isLeader) channel.postMessage({ type: "status", status: this.status });
      } else if (!this.#isLeader && data.type === "status") this.#setStatus(data.status);
      else if (!this.#isLeader && data.type === "event") this.#deliver(data.event, data.data, data.id);
    });
    channel.postMessage({ type: "hello" });
    this.#channel = channel;
  }

  /** Reads the stream until the signal stops it or the device no longer exists. @param {AbortSignal} signal */
  async #lead(signal) {
    this.#isLeader = true;
    let attempt = 0;
    while (!signal.aborted) {
      const parser = new EventStreamParser();
      try {
        await this.#read(parser, signal, () => {
          attempt = 0;
        });
      } catch (error) {
        // A new device has a different channel and lock, which `run` uses.
        if (isUnknown(error, "device")) break;
      }
      if (!signal.aborted) await this.#pause(attempt, parser.retry, signal);
      attempt += 1;
    }
    this.#isLeader = false;
  }

  /** @param {EventStreamParser} parser @param {AbortSignal} signal @param {() => void} opened */
  async #read(parser, signal, opened) {
    const watch = new AbortController();
    const stop = () => watch.abort();
    signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, silence);
    try {
      const response = await openStream(watch.signal, {
        Accept: "text/event-stream",
        ...(this.#lastId ? { "Last-Event-ID": this.#lastId } : {}),
      });
      if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) return;
      opened();
      this.#share({ state: "live", since: Date.now() });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(stop, silence);
        for (const event of parser.push(value)) this.#take(event);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      watch.abort();
    }
  }

  /** @param {StreamEvent} event */
  #take({ id, event, data }) {
    /** @type {unknown} */
    let value;
    try {
      value = JSON.parse(data);
    } catch {
      return;
    }
    const [before, after] = [epochOf(this.#lastId), epochOf(id)];
    if (before && after && before !== after) this.#send("gap", {}, id);
    this.#send(event, value, id);
  }

  /** @param {string} event @param {unknown} data @param {string | null} id */
  #send(event, data, id) {
    this.#deliver(event, data, id);
    this.#channel?.postMessage({ type: "event", event, data, id });
  }

  /** @param {string} event @param {unknown} data @param {string | null} id */
  #deliver(event, data, id) {
    if (id) this.#lastId = id;
    this.dispatchEvent(new CustomEvent(event, { detail: data }));
  }

  /** @param {StreamStatus} status */
  #share(status) {
    this.#setStatus(status);
    this.#channel?.postMessage({ type: "status", status });
  }

  /** @param {StreamStatus} status */
  #setStatus(status) {
    this.status = status;
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }

  /** @param {number} attempt @param {number | null} asked @param {AbortSignal} signal */
  async #pause(attempt, asked, signal) {
    if (signal.aborted) return;
    const wait = backoff(attempt, Math.random(), asked);
    const wasDown = this.status.state === "reconnecting" || this.status.state === "offline";
    const since = wasDown ? this.status.since : Date.now();
    this.#share({ state: attempt >= 2 ? "offline" : "reconnecting", since, retryAt: Date.now() + wait });
    const early = new AbortController();
    this.wake = () => early.abort();
    await delay(wait, AbortSignal.any([signal, early.signal]));
  }
}

/** @typedef {{id: string | null, event: string, data: string}} StreamEvent */

/** Reads a stream of server-sent events from pieces of text (WHATWG HTML, "event stream interpretation"). */
export class EventStreamParser {
  #buffer = "";
  #first = true;
  /** @type {string[]} */
  #data = [];
  #event = "";
  /** The id of the last event that carried one; it stays for the events after it. @type {string | null} */
  lastId = null;
  /** The server's requested delay before reconnecting, in milliseconds. @type {number | null} */
  retry = null;

  /**
   * Takes a piece and returns the events that it completed; a line may be cut anywhere.
   * @param {string} piece
   * @returns {StreamEvent[]}
   */
  push(piece) {
    this.#buffer += piece;
    if (this.#first && this.#buffer.length) {
      this.#buffer = this.#buffer.replace(/^\ufeff/, "");
      this.#first = false;
    }
    /** @type {StreamEvent[]} */
    const events = [];
    for (;;) {
      const end = this.#buffer.search(/[\r\n]/);
      if (end < 0) return events;
      const isReturn = this.#buffer[end] === "\r";
      // A carriage return at the end may be half of a pair.
      if (isReturn && end === this.#buffer.length - 1) return events;
      const line = this.#buffer.slice(0, end);
      this.#buffer = this.#buffer.slice(end + (isReturn && this.#buffer[end + 1] === "\n" ? 2 : 1));
      const event = this.#line(line);
      if (event) events.push(event);
    }
  }

  /** @param {string} line @returns {StreamEvent | null} */
  #line(line) {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d{1,7}$/.test(value)) this.retry = Number(value);
    return null;
  }

  /** @returns {StreamEvent | null} */
  #dispatch() {
    const [data, event] = [this.#data.join("\n"), this.#event || "message"];
    const isEmpty = this.#data.length === 0;
    this.#data = [];
    this.#event = "";
    return isEmpty ? null : { id: this.lastId, event, data };
  }
}

/** The epoch of an event id `<epoch>-<seq>`. @param {string | null} id */
export const epochOf = (id) => (id && id.includes("-") ? id.slice(0, id.lastIndexOf("-")) : null);

/**
 * The wait before attempt `attempt` (from 0) in milliseconds: 1 s, doubled up to 10 s, each ±10 %.
 * @param {number} attempt
 * @param {number} random 0 … 1
 * @param {number | null} [asked] what the server asked for, which counts up to 10 s
 */
export function backoff(attempt, random, asked = null) {
  const whole = Math.min(10_000, 1000 * 2 ** Math.min(attempt, 10));
  return Math.min(Math.max(whole * (0.9 + 0.2 * random), asked ?? 0), 10_000);
}

/** The page's one stream. */
export const events = new Events();
