"""Makes the manual page of the program from its own description of its flags, which `--experimental-dump-help` prints."""
import datetime
import re

# In Debian's manual pages, a line that begins with one of these is a request.
REQUESTS = (".", "'")


def escaped(text: str) -> str:
    """Plain text as troff reads it: an ASCII hyphen stays one, so that flags can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith(REQUESTS) else line for line in text.split("\n"))


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def shown(command: dict) -> list[dict]:
    """The command's own flags, without those that every command has."""
    return [one for one in command.get("arguments", []) if one.get("shouldDisplay", True) and one["valueName"] not in ("help", "version")]


def commands(command: dict, parents: tuple[str, ...] = ()):
    """Each command that does something, with its name."""
    name = (*parents, command["commandName"])
    children = [child for child in command.get("subcommands", []) if child["commandName"] != "help"]
    if not children:
        yield " ".join(name[1:]), command
    for child in children:
        yield from commands(child, name)


def argument(one: dict) -> str:
    name = one.get("preferredName", {}).get("name")
    if one["kind"] == "positional":
        head = italic(one["valueName"].upper())
    else:
        head = bold("--" + name) + (" " + italic(one["valueName"].upper()) if one["kind"] == "option" else "")
    repeated = " Can be repeated." if one["isRepeating"] and "repeat" not in one.get("abstract", "") else ""
    return f".TP\n{head}\n{escaped(one.get('abstract', ''))}{repeated}"


def page(described: dict, version: str, seconds: int) -> str:
    """The page in man(7)'s macros, dated by a Unix time."""
    top = described["command"]
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d")
    name = top["commandName"]
    lines = [
        f'.TH {name.upper()} 1 "{date}" "{name} {version}" "User Commands"',
        ".SH NAME", f"{name} \\- {escaped(top['abstract'].rstrip('.'))[0].lower()}{escaped(top['abstract'].rstrip('.'))[1:]}",
        ".SH SYNOPSIS", f"{bold(name)} [{italic('COMMAND')}] [{italic('FLAG')} ...]",
        ".SH DESCRIPTION",
        escaped(f"Without a command, {name} does what “{top['defaultSubcommand']}” does. Each flag can also be set in the environment: the "
                "variable of --public-origin is UNDERSTUDY_PUBLIC_ORIGIN. A flag takes precedence."),
        ".SH COMMANDS",
    ]
    for title, command in commands(top):
        lines += [f".SS {name} {escaped(title)}", escaped(command.get("abstract", ""))]
        if discussion := command.get("discussion", "").strip():
            lines += [".PP", escaped(re.sub(r"\s*\n\s*", " ", discussion))]
        lines += [argument(one) for one in shown(command)]
    lines += [
        ".SH FILES", f".TP\n{italic('$XDG_STATE_HOME/understudy')}, {italic('~/.local/state/understudy')}",
        "Devices, tokens and the built\\-in backend of a console that a person started.",
        f".TP\n{italic('/var/lib/private/understudy')}", "The same, of the system's service.",
        ".SH EXIT STATUS",
        escaped("0 on success, 64 for a wrong flag, 66 for a missing file, 69 for a port or folder that is in use, and 78 for settings that "
                "contradict each other. Commands that compare or check exit with 1 where they found something."),
    ]
    return "\n".join(lines) + "\n"
