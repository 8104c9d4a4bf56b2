"""links_test.py ROOT: what README.md and the pages in docs/ point to exists: files and headings behind links, files and
folders of the rooms that are named in the text. Every page can be reached from README.md, files that name a page of docs/
name one that is there, and lines of prose have at most 120 characters (tables and what programs print may be wider)."""
import collections
import pathlib
import re
import sys

WIDTH = 120
TEXT = {".h", ".cpp", ".c", ".py", ".txt", ".cmake", ".md", ".yaml", ".js", ".css", ".html", ".json", ""}
FOLDERS = ("base bench cli cmake configs deploy docs explore methods models plan program reports scripts sim tests"
           " .ci").split()
HOME = re.compile(r"(?<![\w/.<>-])((?:" + "|".join(map(re.escape, FOLDERS)) + r")/[\w./*-]*[\w*/])")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", re.S)


def blocks(lines):
    """Pairs (line, block): block 0 is prose, others are numbered blocks of code, fenced or indented."""
    fence, number, before, listed = None, 0, "", False
    for line in lines:
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            yield line, number
            if mark and mark.group(1) == fence:
                fence = None
        elif mark:
            fence, number = mark.group(1), number + 1
            yield line, number
        else:
            listed = bool(re.match(r"([*+-]|\d+\.) ", line)) or listed and (not line or line.startswith(" "))
            code = line.startswith("    ") and not listed and (not before or before == "code")
            if code and before != "code":
                number += 1
            yield line, number if code else 0
            if code or line or before != "code":  # an empty line does not end indented code
                before = "code" if code else line
            continue
        before = ""


def slug(heading):
    """What a heading's anchor is called."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(text):
    seen, all_of = collections.Counter(), set()
    for line, block in blocks(text.splitlines()):
        if not block and (m := re.match(r"#+ (.*)", line)):
            name = slug(m.group(1).strip())
            all_of.add(f"{name}-{seen[name]}" if seen[name] else name)
            seen[name] += 1
    return all_of


def named(root, path):
    """Whether a file, a folder, a name without its ending or a pattern is there."""
    path = path.rstrip("/")
    if "*" in path:
        return any(root.glob(path))
    at = root / path
    return at.exists() or any(at.parent.glob(at.name + ".*"))


def too_long(line, block, printed):
    if len(line) <= WIDTH or line.lstrip().startswith("|") or block in printed:
        return False
    words = re.sub(r"^\s*([*+-]|\d+\.)? *", "", LINK.sub("[]", line)).split()
    return len(words) > 1


def check(root):
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    texts = {p: p.read_text(encoding="utf-8") for p in pages}
    wrong, reached = [], {pages[0]}
    todo = [pages[0]]
    links = collections.defaultdict(list)
    for page, text in texts.items():
        lines = list(blocks(text.splitlines()))
        prose = "\n".join("" if block else line for line, block in lines)
        at = lambda where: f"{page.relative_to(root)}:{prose.count(chr(10), 0, where) + 1}"
        for m in LINK.finditer(re.sub(r"`[^`]*`", lambda code: re.sub(r"[\[\]()]", "-", code.group()), prose)):
            if re.match(r"[a-z]+:", m.group(2)):
                continue
            path, _, anchor = m.group(2).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                wrong.append(f"{at(m.start())}: no file {path}")
            elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
                wrong.append(f"{at(m.start())}: {path or 'this page'} has no heading #{anchor}")
            links[page].append(target)
        for m in HOME.finditer(re.sub(r"\]\([^)\s]+\)", lambda link: "-" * len(link.group()), prose)):
            if not named(root, m.group(1)):
                wrong.append(f"{at(m.start())}: no {m.group(1)}")
        # What a program prints is as wide as it is: blocks with a prompt, and messages.
        printed = {block for line, block in lines if block and re.search(r"^\s*\$ |: error: ", line)}
        for number, (line, block) in enumerate(lines, 1):
            if too_long(line, block, printed):
                wrong.append(f"{page.relative_to(root)}:{number}: {len(line)} characters, more than {WIDTH}")
    while todo:
        for target in links[todo.pop()]:
            if target in texts and target not in reached:
                reached.add(target)
                todo.append(target)
    wrong += [f"{page.relative_to(root)}: no page leads here from README.md" for page in pages if page not in reached]
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if folder == "docs" or file.suffix not in TEXT or not file.is_file() or "corpus" in file.parts:
                continue
            for m in re.finditer(r"(?<![\w/])docs/[\w/]+\.md", file.read_text(encoding="utf-8", errors="replace")):
                if not (root / m.group()).exists():
                    wrong.append(f"{file.relative_to(root)}: no {m.group()}")
    return len(pages), wrong


if __name__ == "__main__":
    count, found = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else f"{count} pages in order")
    sys.exit(1 if found else 0)
