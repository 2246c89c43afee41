// @ts-check
import { fromCurl } from "../../Public/assets/js/models/exports/curl.js";
import { shellCommand } from "../../Public/assets/js/models/exports/shell-words.js";
import { none, same } from "./check.js";

/** The words of a command, with its operators. @param {string} text */
const shellWords = (text) => shellCommand(text)?.tokens.map((one) => typeof one === "string" ? one : one.operator + (one.target ?? "")) ?? null;

/** @param {string} text */
const draft = (text) => fromCurl(text)?.draft;

Deno.test("words are read as a shell reads them", () => {
  const cases = /** @type {const} */ ([
    ["a  b\tc", ["a", "b", "c"]],
    ["a b\nc", ["a", "b", "\n", "c"]],
    ["'a b' \"c d\"", ["a b", "c d"]],
    ["a'b'\"c\"d", ["abcd"]],
    ["'' \"\"", ["", ""]],
    ["'it'\\''s'", ["it's"]],
    ['"a\\"b\\\\c\\$d\\n"', ['a"b\\c$d\\n']],
    ["a\\ b \\'", ["a b", "'"]],
    ["a \\\n  b \\\r\n c", ["a", "b", "c"]],
    ['"a\\\nb"', ["ab"]],
    ["$'a\\nb\\t\\'c\\'\\\\'", ["a\nb\t'c'\\"]],
    ["$'\\x41\\u00e9\\101\\U0001F600'", ["Aé\u0041😀"]],
    ["'$HOME' \"$TOKEN\"", ["$HOME", "$TOKEN"]],
    ["# note\na # rest", ["\n", "a"]],
    ["b#c", ["b#c"]],
    ["a; b 'c;d'", ["a", ";", "b", "c;d"]],
    ["a|b||c&&d '|'", ["a", "|", "b", "||", "c", "&&", "d", "|"]],
    ["a>b 2>/dev/null x2>y 2>&1 'c>d'", ["a", ">b", ">/dev/null", "x2", ">y", "c>d"]],
    ["a?x=1&y=2 <name>/z", ["a?x=1&y=2", "<name>/z"]],
    ["$'\\xc3\\xa9\\303\\251'", ["éé"]],
    ["“a b” ‘it is’ x’s", ["a b", "it is", "x’s"]],
    ['"$(cat "a b")" `c d`', ['$(cat "a b")', "`c d`"]],
    ["", []],
  ]);
  for (const [text, words] of cases) same(shellWords(text), [...words], text);
  none(["'a", '"a', "$'a"].filter((text) => shellWords(text) !== null), "open quotes that were taken");
});

Deno.test("method, path, query and body are read", () => {
  /** @param {Partial<import("../../Public/assets/js/models/exports/composer.js").Draft>} parts */
  const made = (parts) => ({ method: "GET", path: "/", query: "", headers: [], body: "", auth: false, confirm: false, ...parts });
  same(draft("curl https://api.test/a/b?x=1&y=%20"), made({ method: "GET", path: "/a/b", query: "x=1&y=%20" }));
  same(draft("$ curl 'https://api.test'"), made({ method: "GET", path: "/" }));
  same(draft("curl api.test/a"), made({ method: "GET", path: "/a" }));
  for (const way of ["-X DELETE", "-XDELETE", "--request DELETE", "-X 'delete'", "-sX DELETE"]) {
    same(draft(`curl ${way} https://api.test/a`)?.method, "DELETE", way);
  }
  same(draft("curl -I https://api.test/a")?.method, "HEAD");
  same(draft("curl --head --url https://api.test/a")?.path, "/a");
  const form = /** @type {[string, string][]} */ ([["Content-Type", "application/x-www-form-urlencoded"]]);
  for (const way of ["-d a=1", "-da=1", "--data a=1", "--data-raw a=1", "--data-binary a=1", "--data-ascii 'a=1'"]) {
    same(draft(`curl https://api.test/a ${way}`), made({ method: "POST", path: "/a", headers: form, body: "a=1" }), way);
  }
  same(draft("curl https://api.test/ -d a=1 -d b=2")?.body, "a=1&b=2");
  same(draft("curl https://api.test/ --data-urlencode 'n=a b&c' --data-urlencode 'x y'")?.body, "n=a+b%26c&x+y");
  same(draft("curl https://api.test/ --data-raw @name")?.body, "@name");
  same(draft("curl -G https://api.test/?z=0 -d a=1 -d b=2"), made({ method: "GET", path: "/", query: "z=0&a=1&b=2" }));
  same(draft("curl -X PUT https://api.test/ -d ''")?.method, "PUT");
});

Deno.test("JSON needs no header of its own", () => {
  const read = draft("curl --json '{\"a\":' --json '1}' https://api.test/a");
  same([read?.method, read?.headers, read?.body], ["POST", [], '{"a":1}']);
  same(draft("curl -H 'content-type: application/json' -d '{}' https://api.test/")?.headers, [["content-type", "application/json"]]);
});

Deno.test("headers are read, and those that the client writes are named", () => {
  const read = fromCurl(
    "curl https://api.test/ -H 'X-Flag: a: b' -H 'X-Empty;' -H 'Accept:' -H \"Authorization: Bearer $ACCESS_TOKEN\" " +
      "-H 'Cookie: sid=1' --header 'X-Device-ID: d' -A agent -e https://from.test/ -r 0-9 -H 'broken'",
  );
  same(read?.draft.headers, [
    ["X-Flag", "a: b"],
    ["X-Empty", ""],
    ["User-Agent", "agent"],
    ["Referer", "https://from.test/"],
    ["Range", "bytes=0-9"],
  ]);
  same([read?.draft.auth, read?.left], [true, ["-H Accept", "Authorization", "Cookie", "X-Device-ID", "-H …"]]);
});

Deno.test("what a draft has no place for is named, without its secrets", () => {
  const read = fromCurl(
    "curl -sSLk --compressed -u ann:hunter2 -b 'sid=hunter2' -F file=@x -o out.json -x http://ann:hunter2@proxy.test " +
      "--cert c.pem --retry 3 --http2 https://ann:hunter2@api.test/a#part https://two.test/b -d @body.json",
  );
  same(read?.left, [
    "-s", "-S", "-L", "-k", "--compressed", "-u", "-b", "-o", "-x", "--cert", "--retry", "--http2", "https://two.test/b",
    "https://…@", "#part",
  ]);
  same(read?.missing, ["-F", "-d"]);
  same([read?.origin, read?.draft.method, read?.draft.path], ["https://api.test", "POST", "/a"]);
  same(JSON.stringify(read).includes("hunter2"), false);
  same(fromCurl("curl -X TRACE https://api.test/")?.left, ["-X TRACE"]);
});

Deno.test("what follows the command is named, without its values", () => {
  for (
    const [text, left] of /** @type {const} */ ([
      ["curl https://api.test/a;jsessionid=hunter2 -d x", ["; jsessionid=…"]],
      ["curl https://api.test/a ; rm out.json", ["; rm"]],
      ["curl -s https://api.test/a | jq .x", ["-s", "| jq"]],
      ["curl https://api.test/a > out.json", ["> out.json"]],
      ["curl https://api.test/a && TOKEN=hunter2 sh", ["&& TOKEN=…"]],
      ["curl https://api.test/a;", []],
      ["curl https://api.test/a; curl https://api.test/b", []],
    ])
  ) same(fromCurl(text)?.left, [...left], text);
});

Deno.test("an option that curl does not have takes no address away", () => {
  same(fromCurl("curl --made-up '=https' https://api.test/a")?.origin, "https://api.test");
  same(fromCurl("curl --made-up value api.test/a")?.origin, "http://api.test");
  same(fromCurl("curl --made-up https://api.test/a")?.draft.path, "/a");
  same(fromCurl("curl --made-up value https://api.test/a")?.isFirst, false);
});

Deno.test("the fences of a document are no part of a command", () => {
  for (const fence of ["```", "```bash", "```sh"]) same(draft(`${fence}\ncurl https://api.test/a \\\n  -X PUT\n\`\`\`\n`)?.method, "PUT", fence);
});

Deno.test("a variable may stand for the origin", () => {
  for (const name of ["$BASE", "${BASE_URL}", "{{baseUrl}}"]) {
    const read = fromCurl(`curl "${name}/rpc/me?x=1"`);
    same([read?.origin, read?.draft.path, read?.draft.query], [name, "/rpc/me", "x=1"]);
  }
});

Deno.test("what Chrome and Firefox copy is read", () => {
  const chrome = `curl 'https://api.test/rpc/update' \\
  -H 'accept: */*' \\
  -H 'content-type: application/json' \\
  -b 'sid=1' \\
  --data-raw $'{"a":"it\\'s \\u00e9"}' \\
  --compressed`;
  const read = fromCurl(chrome);
  same(read?.draft.body, '{"a":"it\'s é"}');
  same(read?.draft.headers, [["accept", "*/*"], ["content-type", "application/json"]]);
  same(read?.left, ["-b", "--compressed"]);
  const windows = 'curl ^"https://api.test/a?x=1^&y=2^" ^\r\n  -X ^"PATCH^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"';
  const other = fromCurl(windows)?.draft;
  same([other?.method, other?.query, other?.body], ["PATCH", "x=1&y=2", '{"a":1}']);
});

Deno.test("what this console copies is read back", () => {
  const text = `#!/bin/sh
: "\${ACCESS_TOKEN:?is not set}"
curl --url 'https://api.test/rpc/me?a=1' \\
  --request 'GET' \\
  --header 'Accept: application/json' \\
  --header 'Authorization: Bearer '"$ACCESS_TOKEN" \\
  --header 'User-Agent:' \\
  --globoff --path-as-is`;
  const read = fromCurl(text);
  same([read?.draft.method, read?.draft.path, read?.draft.query, read?.draft.auth], ["GET", "/rpc/me", "a=1", true]);
  same(read?.draft.headers, [["Accept", "application/json"]]);
});

Deno.test("what is no command of curl is not read", () => {
  none(["", "wget https://api.test/", "curl", "curl -s", "curl 'https://api.test/", "https://api.test/"].filter((text) => fromCurl(text)), "read");
  same(draft("curl https://api.test/a | jq .x")?.path, "/a");
});

Deno.test("of several requests the first is taken, which is said", () => {
  const several = [
    "curl https://api.test/a https://user:secret@api.test/b",
    "curl https://api.test/a --next -X POST https://api.test/b -d x",
    "curl https://api.test/a; curl https://api.test/b",
    "curl https://api.test/a && curl -d x https://api.test/b",
    "curl https://api.test/a\ncurl -X POST https://api.test/b",
  ];
  for (const text of several) {
    const read = fromCurl(text);
    same([read?.draft.path, read?.draft.method, read?.isFirst], ["/a", "GET", true], text);
    none((read?.left ?? []).filter((one) => one.includes("secret")), "secrets");
  }
  for (const text of ["curl https://api.test/a", "curl https://api.test/a | jq .", "curl https://api.test/a > out.json"]) {
    same(fromCurl(text)?.isFirst, false, text);
  }
});
