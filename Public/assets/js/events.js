// @ts-check
// The only stream. Of the tabs that show a device one leads: it reads the stream and shares it over a channel.
import { ensureDevice, openStream } from "./api.js";
import { delay } from "./helpers/dom.js";
import { ApiError } from "./models/problem.js";
import { backoff, epochOf, EventStreamParser } from "./models/sse.js";

/** Silence after which the stream counts as dead, in milliseconds; the console's heartbeat is at most a third of it. */
const silence = 30_000;

/**
 * How the stream stands; `retryAt` and `since` are in milliseconds of the wall clock.
 * @typedef {{state: "connecting" | "live" | "reconnecting" | "offline", since: number, retryAt?: number}} StreamStatus
 */

/**
 * The events of the tab's device: dispatches `CustomEvent`s named `session`, `network`, `inbox` …, whose `detail` is the data;
 * `gap` where something was missed; `status` with a {@link StreamStatus}.
 */
class Events extends EventTarget {
  constructor() {
    super();
    /** @type {StreamStatus} */
    this.status = { state: "connecting", since: Date.now() };
    /** @type {string | null} */
    this.lastId = null;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {BroadcastChannel | null} */
    this.channel = null;
    this.isLeader = false;
  }

  /** Begins, and from then on pauses while the page is in the back-forward cache. */
  start() {
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.run();
    });
    addEventListener("online", () => this.wake?.());
    this.run();
  }

  stop() {
    this.running?.abort();
    this.running = null;
    this.channel?.close();
    this.channel = null;
    this.isLeader = false;
  }

  async run() {
    this.stop();
    const running = new AbortController();
    this.running = running;
    const { signal } = running;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const device = await ensureDevice(signal);
        this.listen(device.device_id);
        await navigator.locks.request(`understudy-events-${device.device_id}`, { signal }, () => this.lead(signal));
        attempt = 0;
      } catch {
        await this.pause(attempt, null, signal);
      }
    }
  }

  /** @param {string} device */
  listen(device) {
    this.channel?.close();
    const channel = new BroadcastChannel(`understudy-events-${device}`);
    channel.addEventListener("message", ({ data }) => {
      if (data.type === "hello") {
        if (this.isLeader) channel.postMessage({ type: "status", status: this.status });
      } else if (!this.isLeader && data.type === "status") this.setStatus(data.status);
      else if (!this.isLeader && data.type === "event") this.deliver(data.event, data.data, data.id);
    });
    channel.postMessage({ type: "hello" });
    this.channel = channel;
  }

  /** Reads the stream until it is told to stop or the device is gone. @param {AbortSignal} signal */
  async lead(signal) {
    this.isLeader = true;
    let attempt = 0;
    while (!signal.aborted) {
      const parser = new EventStreamParser();
      try {
        await this.read(parser, signal, () => {
          attempt = 0;
        });
      } catch (error) {
        // A new device has another channel and lock; `run` finds it.
        if (error instanceof ApiError && error.code === "no_device") break;
      }
      if (!signal.aborted) await this.pause(attempt, parser.retry, signal);
      attempt += 1;
    }
    this.isLeader = false;
  }

  /** @param {EventStreamParser} parser @param {AbortSignal} signal @param {() => void} opened */
  async read(parser, signal, opened) {
    const watch = new AbortController();
    const stop = () => watch.abort();
    signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, silence);
    try {
      const response = await openStream("/api/events", watch.signal, {
        Accept: "text/event-stream",
        ...(this.lastId ? { "Last-Event-ID": this.lastId } : {}),
      });
      if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) return;
      opened();
      this.share({ state: "live", since: Date.now() });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(stop, silence);
        for (const event of parser.push(value)) this.take(event);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      watch.abort();
    }
  }

  /** @param {import("./models/sse.js").StreamEvent} event */
  take({ id, event, data }) {
    /** @type {unknown} */
    let value;
    try {
      value = JSON.parse(data);
    } catch {
      return;
    }
    const [before, after] = [epochOf(this.lastId), epochOf(id)];
    if (before && after && before !== after) this.send("gap", {}, id);
    this.send(event, value, id);
  }

  /** @param {string} event @param {unknown} data @param {string | null} id */
  send(event, data, id) {
    this.deliver(event, data, id);
    this.channel?.postMessage({ type: "event", event, data, id });
  }

  /** @param {string} event @param {unknown} data @param {string | null} id */
  deliver(event, data, id) {
    if (id) this.lastId = id;
    this.dispatchEvent(new CustomEvent(event, { detail: data }));
  }

  /** @param {StreamStatus} status */
  share(status) {
    this.setStatus(status);
    this.channel?.postMessage({ type: "status", status });
  }

  /** @param {StreamStatus} status */
  setStatus(status) {
    this.status = status;
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }

  /** @param {number} attempt @param {number | null} asked @param {AbortSignal} signal */
  async pause(attempt, asked, signal) {
    if (signal.aborted) return;
    const wait = backoff(attempt, Math.random(), asked);
    const wasDown = this.status.state === "reconnecting" || this.status.state === "offline";
    const since = wasDown ? this.status.since : Date.now();
    this.share({ state: attempt >= 2 ? "offline" : "reconnecting", since, retryAt: Date.now() + wait });
    const early = new AbortController();
    this.wake = () => early.abort();
    await delay(wait, AbortSignal.any([signal, early.signal]));
  }
}

/** The page's one stream. */
export const events = new Events();
