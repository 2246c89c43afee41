// @ts-check
import {
  longestCooldown,
  restoreCooldown,
  secondsLeft,
  startCooldown,
} from "../../Public/assets/js/models/sign-in/cooldown.js";
import { attemptsLeft, isCodeLike, readCodeInput } from "../../Public/assets/js/models/sign-in/code-input.js";
import { followableLink, parseDeepLink, readDeepLink } from "../../Public/assets/js/models/sign-in/deep-link.js";
import {
  asciiDigits,
  isIdentifierLike,
  isSentTo,
  restorePending,
} from "../../Public/assets/js/models/sign-in/login.js";
import { liveMessage, pendingOf } from "../../Public/assets/js/models/inbox/messages.js";
import { holds, same } from "./check.js";

Deno.test("digits of every script become ASCII, everything between them is dropped", () => {
  const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7ce, 0x1d7d8];
  for (const zero of zeros) {
    const written = Array.from("482913", (digit) => String.fromCodePoint(zero + Number(digit))).join("");
    same(asciiDigits(written), "482913", `zero at ${zero.toString(16)}`);
  }
  same(asciiDigits(" 482-913\u200f"), "482913");
  same(asciiDigits("no digits"), "");
});

Deno.test("the code field takes a code with spaces, in part, or a whole link", () => {
  same(readCodeInput("482 913", 6), { kind: "code", code: "482913", complete: true });
  same(readCodeInput("48-29", 6), { kind: "code", code: "4829", complete: false });
  same(readCodeInput("4829137", 6), { kind: "code", code: "482913", complete: true });
  const link = "http://localhost:8080/callback#token=abcdefgh12345678&state=s";
  same(readCodeInput(`Open ${link}.\n`, 6), { kind: "link", url: `Open ${link}.` });
  same(readCodeInput("https://example.com/482913", 6), { kind: "code", code: "482913", complete: true });
});

Deno.test("an identifier is judged by the server, only what cannot be one is held back", () => {
  holds(isIdentifierLike("dana@example.com"), "mail");
  holds(isIdentifierLike("+44 20 7946 0958"), "phone");
  holds(isIdentifierLike("٠٢٠٧٩٤٦"), "phone in Arabic-Indic digits");
  holds(!isIdentifierLike(""), "empty");
  holds(!isIdentifierLike("dana"), "a word");
  holds(!isIdentifierLike("da na@example.com"), "a space inside");
});

Deno.test("tries are counted where the backend's number is known", () => {
  same([attemptsLeft(true, undefined), attemptsLeft(true, 2), attemptsLeft(true, 9), attemptsLeft(false, 2)], [
    5,
    3,
    0,
    null,
  ]);
});

Deno.test("a pending sign-in survives a reload until its message expires", () => {
  const pending = { identifier: "a@b.example", masked: "a•@b.example", kind: "link", expiresAt: 5000, cooldown: null };
  same(restorePending(JSON.stringify(pending), 4999), pending);
  same(restorePending(JSON.stringify(pending), 5000), null);
  same(restorePending("{", 0), null);
  same(restorePending("null", 0), null);
  same(restorePending(null, 0), null);
});

Deno.test("a cooldown counts from its deadline and never below zero", () => {
  const cooldown = startCooldown(5, 1000, 50_000);
  same(secondsLeft(cooldown, 1000), 5);
  same(secondsLeft(cooldown, 3500), 2.5);
  same(secondsLeft(cooldown, 900_000), 0);
  same(secondsLeft(cooldown, -900_000), 5, "a monotonic clock that began anew");
  same(secondsLeft(null, 0), 0);
  same(startCooldown(Number.NaN, 0, 0).seconds, 0);
  same(secondsLeft(cooldown, 1000, 50_000), 5);
  same(secondsLeft(cooldown, 1000, 54_000), 1, "a laptop slept: the monotonic clock stood still");
  same(secondsLeft(cooldown, 3000, 0), 3, "a wall clock that was turned back does not lengthen it");
});

Deno.test("a cooldown after a reload is what is left, and a wall clock that jumped back does not lengthen it", () => {
  const stored = { wall: 60_000, seconds: 5 };
  same(secondsLeft(restoreCooldown(stored, 0, 58_000), 0), 2);
  same(restoreCooldown(stored, 0, 60_000), null);
  same(secondsLeft(restoreCooldown(stored, 0, 0), 0), 5);
  same(restoreCooldown(null, 0, 0), null);
});

Deno.test("of several cooldowns of the state the longest counts", () => {
  const cooldowns = [{ retry_at: "1970-01-01T00:00:03.000Z" }, { retry_at: "1970-01-01T00:00:07.000Z" }, {
    retry_at: "never",
  }];
  same(longestCooldown(cooldowns, 2000), 5);
  same(longestCooldown(undefined, 0), 0);
});

Deno.test("a deep link is read from the fragment first, then from the query", () => {
  same(readDeepLink("#token=abcdefgh&state=s", "?token=zzzzzzzz"), { token: "abcdefgh", state: "s" });
  same(readDeepLink("", "?token=zzzzzzzz"), { token: "zzzzzzzz", state: null });
  same(readDeepLink("#token=short", ""), null);
  same(readDeepLink("#token=with%20space1", ""), null);
  same(readDeepLink("#state=s", ""), null);
  same(parseDeepLink("not an address"), null);
});

Deno.test("only a link of this origin over http or https is offered as one", () => {
  const origin = "http://localhost:8080";
  same(followableLink(`${origin}/callback#token=a`, origin), `${origin}/callback#token=a`);
  for (
    const link of [
      "https://evil.example/",
      "javascript:alert(1)",
      "//localhost:8080/",
      "http://u:p@localhost:8080/",
      "http://localhost:8081/",
      "",
      undefined,
    ]
  ) {
    same(followableLink(link, origin), null, String(link));
  }
});

Deno.test("only digits with what people put between them are tidied; other text stays as it was typed", () => {
  same(["482 913", "482-913", "٤٨٢ ٩١٣", "48\u200f2913", ""].map(isCodeLike), [true, true, true, true, true]);
  same(["🎭", "אב", "12a", "<b>12</b>"].map(isCodeLike), [false, false, false, false]);
});

/** @param {string} id @param {string} to @param {number} at @param {number} until */
const message = (id, to, at, until) => ({
  id,
  to,
  kind: "login_code",
  subject: "",
  text: "",
  code: "123456",
  delivered_at: new Date(at).toISOString(),
  expires_at: new Date(until).toISOString(),
});

Deno.test("a message is somebody's however they wrote their address or number", () => {
  same(["a@b.example", " A@B.Example ", "a@c.example"].map((typed) => isSentTo("a@b.example", typed)), [
    true,
    true,
    false,
  ]);
  same(["+44 20 7946-0958", "0044 (20) 7946.0958", "020 7946 0958"].map((typed) => isSentTo("+442079460958", typed)), [
    true,
    true,
    false,
  ]);
});

Deno.test("only the newest message of somebody is offered, and only while it works", () => {
  const all = [
    message("old", "a@b.example", 1000, 9000),
    message("new", "a@b.example", 2000, 5000),
    message("theirs", "c@d.example", 3000, 9000),
  ];
  same(liveMessage(all, "A@b.example", 4999)?.id, "new");
  same(liveMessage(all, "a@b.example", 5000), null);
  same(liveMessage(all, "x@y.example", 0), null);
});

Deno.test("a message goes on with the sign-in that waits for it, and else begins one that lasts as long as it does", () => {
  const one = message("m", "a@b.example", 0, 700_000);
  const stored = JSON.stringify({ identifier: " A@B.example", masked: "a•••", kind: "link", expiresAt: 100, tries: 2 });
  same(pendingOf(one, stored, 100_000, 50), stored);
  // By then it has expired, and so has what is stored for somebody else.
  for (const other of [null, stored.replace("A@B", "c@d"), "{"]) {
    same(JSON.parse(pendingOf(one, other, 100_000, 50)), {
      identifier: "a@b.example",
      masked: "a@b.example",
      kind: "code",
      expiresAt: 600_050,
      cooldown: null,
    });
  }
  same(JSON.parse(pendingOf(one, stored, 100_000, 100)).kind, "code");
  // One that has expired by the backend's clock can still be tried.
  same(JSON.parse(pendingOf(one, null, 800_000, 50)).expiresAt, 60_050);
});
