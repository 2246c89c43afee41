// @ts-check
/** The separator between the parts of a form. */
const boundary = "------------------------understudy-form";

/** The media types that curl derives from the name of a file. @type {Record<string, string>} */
const types = {
  gif: "image/gif", jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png", svg: "image/svg+xml", txt: "text/plain",
  htm: "text/html", html: "text/html", pdf: "application/pdf", xml: "application/xml",
};

/**
 * A form field as an option of curl writes it: `name=value`, `name=@file` and `name=<file`, with `;type=` and `;filename=`.
 * @typedef {{name: string, value: string, type?: string, filename?: string, isFile: boolean}} Part
 */

/** @param {string} text @param {boolean} isLiteral whether marks have no meaning @returns {Part | null} */
export function formPart(text, isLiteral) {
  const [, name, rest] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || rest === undefined) return null;
  if (isLiteral) return { name, value: rest, isFile: false };
  const [, mark, quoted, plain, attributes] = /^([@<]?)(?:"((?:[^"\\]|\\.)*)"|([^;]*))([\s\S]*)$/.exec(rest) ?? [];
  const value = quoted?.replaceAll(/\\(["\\])/g, "$1") ?? plain ?? "";
  const attribute = (/** @type {string} */ key) =>
    new RegExp(`;\\s*${key}=(?:"([^"]*)"|([^;]*))`).exec(attributes ?? "")?.slice(1).find((one) => one !== undefined);
  const file = mark === "@" ? value.replace(/^.*[/\\]/, "") : undefined;
  const filename = attribute("filename") ?? file;
  const extension = /\.(\w+)$/.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
  const type = attribute("type")?.trim() ?? (file === undefined ? undefined : types[extension] ?? "application/octet-stream");
  return { name, value: mark ? "" : value, type, filename, isFile: Boolean(mark) };
}

/** The header and the body of a form; files are empty, because the command contains only their names. @param {Part[]} parts */
export function multipart(parts) {
  const quoted = (/** @type {string} */ text) => text.replaceAll('"', "%22").replaceAll("\n", "%0A").replaceAll("\r", "%0D");
  const body = parts.map(({ name, value, type, filename }) =>
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quoted(name)}"${filename === undefined ? "" : `; filename="${quoted(filename)}"`}`,
      ...(type ? [`Content-Type: ${type}`] : []),
      "",
      value,
      "",
    ].join("\r\n")
  ).join("");
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${body}--${boundary}--\r\n` };
}
