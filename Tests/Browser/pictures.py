"""Pictures of the pages in their states: made alike in every run, and compared with those that are kept."""

import io
import os
import subprocess
from pathlib import Path

from PIL import Image, ImageChops
from running_console import PROJECT

KEPT = PROJECT / "Tests/Browser/pictures"
DIFFERENT = PROJECT / ".build/test/pictures"
DESK = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS = {
    "light": DESK | {"color_scheme": "light", "locale": "en"},
    "phone": PHONE | {"color_scheme": "light", "locale": "en"},
    "dark": DESK | {"color_scheme": "dark", "locale": "en"},
    "arabic": DESK | {"color_scheme": "light", "locale": "ar"},
}
# The parts of a thousand that may differ; a button that moves by some pixels is more.
LIMIT = 0.5
COLOURS = 96
# The scenes of `scenes.py` that have a picture. Those that show what happened come first, while it is little.
PICTURED = (
    "inbox-empty", "inbox", "timeline", "network-row", "network-response", "network-toolbar", "network-compose", "network-export",
    "network-menu", "network-drift", "network-answer", "network-none", "faults", "faults-docked", "login", "login-code", "login-own-code",
    "callback", "callback-foreign", "callback-ended", "not-found", "help", "network-empty", "settings", "settings-sign-out", "settings-failed",
    "header-menu", "devices", "palette", "shortcuts", "delete-account", "delete-account-dialog", "profiles", "cues", "cues-menu",
    "cues-notice", "cues-none", "recordings", "recordings-rename", "recordings-empty", "recordings-open", "network-recording",
    "recordings-choose", "recordings-compare",
)
# What differs from run to run gets one value: times, dates, durations, sizes, ids, masks, codes and the port.
# What is drawn by time is left out.
STEADY = """() => {
  const language = document.documentElement.lang;
  const months = ["long", "short"].flatMap((month) => {
    const { format } = new Intl.DateTimeFormat(language, { month });
    return Array.from({ length: 12 }, (_, index) => [format(new Date(2026, index, 1)), format(new Date(2026, 0, 1))]);
  });
  const patterns = [
    [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "00000000-0000-7000-8000-000000000000"],
    [/:[0-9a-f]{8}›/g, ":0a1b2c3d›"], [/(127\\.0\\.0\\.1|localhost):\\d+/g, "$1:8443"], [/^:\\d+$/, ":8443"], [/person\\d+\\./g, "person1."],
    [/\\d{4}-\\d\\d-\\d\\d/g, "2026-01-15"], [/^\\w{3}(?=, \\d\\d \\w{3} \\d{4} )/, "Thu"], [/\\b(token|state)=[\\w-]+/g, (_, name) => `${name}=${"abcdefghijk".repeat(name === "token" ? 4 : 2)}`],
    [/(?<![\\d.])\\d{1,2}:\\d\\d(:\\d\\d)?([.,]\\d+)?(?!\\d)/g, (_, seconds, part) => `00:00${seconds ? ":00" : ""}${part ? ".000" : ""}`],
    [/\\b1[34](?=\\s\\p{L})/gu, "14"],
    [/[\\d.,]+(\\s)(ms|µs|م\\.ث|مللي ثانية|ملي ثانية)/g, "12$1$2"],
    [/[\\d.,]+(\\s)(B|kB|KB|byte|بايت|كيلوبايت)(?![a-z])/g, "120$1$2"],
    [/\\b\\d{3}(\\s)\\d{3}\\b/g, "123$1456"], [/\\b\\d{6}\\b/g, "123456"], [/v\\d+\\.\\d+\\.\\d+/g, "v1.0.0"], [/\\b20\\d\\d\\b/g, "2026"],
  ];
  const steady = (text) => {
    let found = patterns.reduce((one, [pattern, value]) => one.replace(pattern, value), text);
    for (const [name, first] of months) {
      if (new RegExp(`\\\\d+[ .]*${name}|${name}\\\\.? *\\\\d`).test(found)) {
        const day = new RegExp(`\\\\d{1,2}(?=[ .]*${first})|(?<=${first}\\\\.? *)\\\\d{1,2}(?!\\\\d)`, "g");
        found = found.replaceAll(name, first).replace(day, "15");
      }
    }
    return found;
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    // The console counts what it compares for all devices.
    const isCount = node.parentElement.closest(".c-seq, #drift > .nums") || node.parentElement.closest("tr")?.cells[0].textContent === "Age";
    const text = isCount ? node.data.replace(/\\d+/, "1") : steady(node.data);
    if (text !== node.data) node.data = text;
  }
  for (const field of document.querySelectorAll("input, textarea")) {
    const text = steady(field.value);
    if (text !== field.value && field.type !== "radio" && field.type !== "checkbox") field.value = text;
  }
  for (const drawn of document.querySelectorAll(".fall-bar, network-histogram, #tokens svg, .track, .axis-scale")) {
    drawn.style.setProperty("visibility", "hidden");
  }
}"""


def launch(browser_type):
    """A Chromium with the fonts of the pictures alone."""
    found = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True)
    fonts = str(PROJECT / "Tests/Browser/fonts.conf")
    return browser_type.launch(
        executable_path=Path(found.stdout.strip()), env=os.environ | {"FONTCONFIG_FILE": fonts},
        args=["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"],
    )


def shoot(page):
    """A picture of the page once it rests, without what differs from run to run."""
    page.mouse.move(0, 0)
    before = None
    for _ in range(20):
        page.evaluate(STEADY)
        picture = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")
        if picture == before:
            return picture
        before = picture
        page.wait_for_timeout(150)
    raise AssertionError(f"{page.url} does not rest")


def keep(picture, name):
    """Keeps a picture that the eye tells from the kept one, in its most frequent colours, so that the file is small and each surface has its colour."""
    path = KEPT / f"{name}.png"
    if path.exists() and difference(picture, Image.open(path)) == 0:
        return
    KEPT.mkdir(exist_ok=True)
    colours = sorted(picture.getcolors(1 << 24), reverse=True)[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in colours for part in colour])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def difference(picture, kept):
    """The parts of a thousand in which two pictures differ to the eye; the edges of letters, which fonts draw differently, do not count."""
    if picture.size != kept.size:
        return 1000.0
    small = [one.convert("RGB").reduce(4) for one in (picture, kept)]
    changed = ImageChops.difference(*small).convert("L").point(lambda value: 255 if value > 20 else 0)
    return 1000 * changed.histogram()[255] / (changed.width * changed.height)


def fault_of(picture, name):
    """Compares a picture with the one that is kept; says what is wrong, or gives None. Both are put side by side then."""
    path = KEPT / f"{name}.png"
    if not path.exists():
        return f"{name}: no picture is kept"
    kept = Image.open(path).convert("RGB")
    share = difference(picture, kept)
    if share <= LIMIT:
        return None
    DIFFERENT.mkdir(parents=True, exist_ok=True)
    both = Image.new("RGB", (kept.width + picture.width + 8, max(kept.height, picture.height)), "red")
    both.paste(kept, (0, 0))
    both.paste(picture, (kept.width + 8, 0))
    both.save(DIFFERENT / f"{name}.png")
    return f"{name}: {share:.1f} ‰ differ from the kept picture: see .build/test/pictures/{name}.png (left: kept, right: now)"
