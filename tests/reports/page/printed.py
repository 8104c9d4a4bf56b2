"""What stands on the pages of a PDF that Chromium printed: no more of the format than that needs."""
import re
import zlib

TOKEN = re.compile(rb"\((?:\\.|[^()\\])*\)|<[0-9A-Fa-f\s]*>|/[^\s/<>\[\]()]+|\[|\]|[^\s\[\]<>/()]+")
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)$")


def product(a, b):
    """The transformation a, then b, as six numbers."""
    return (a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
            a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5])


def ink(content):
    """Heights, in the page's points from its lower edge, of texts, pictures and of paths that are not white."""
    identity = (1, 0, 0, 1, 0, 0)
    saved, state, text, operands, heights, path, cut = [], (identity, (0.0,)), identity, [], [], [], False
    up = lambda x, y: state[0][1] * x + state[0][3] * y + state[0][5]
    for token in TOKEN.findall(content):
        if NUMBER.match(token):
            operands.append(float(token))
            continue
        if token[:1] in b"([</" or token == b"]":
            continue
        if token == b"q":
            saved.append(state)
        elif token == b"Q" and saved:
            state = saved.pop()
        elif token == b"cm":
            state = (product(operands[-6:], state[0]), state[1])
        elif token in (b"rg", b"g", b"k"):
            state = (state[0], tuple(operands))
        elif token == b"BT":
            text = identity
        elif token == b"Tm":
            text = tuple(operands[-6:])
        elif token == b"Td":
            text = product((1, 0, 0, 1, *operands[-2:]), text)
        elif token in (b"Tj", b"TJ"):
            heights.append(product(text, state[0])[5])
        elif token == b"Do":
            heights += [up(0, 0), up(1, 1)]
        elif token in (b"m", b"l", b"c", b"v", b"y"):
            path.append(up(*operands[-2:]))
        elif token == b"re":
            x, y, width, height = operands[-4:]
            path += [up(x, y), up(x + width, y + height)]
        elif token in (b"W", b"W*"):
            cut = True
        elif token in (b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"S", b"s", b"n"):
            if token != b"n" and not cut and (token in (b"S", b"s") or any(v < 0.99 for v in state[1])):
                heights += path
            path, cut = [], False
        operands = []
    return heights


def pages(pdf):
    """Of each page, in order, how far down it anything stands, as a share of its height; 0: nothing does."""
    objects = {int(m[1]): m[2] for m in re.finditer(rb"(?:^|\n)(\d+) 0 obj\n?(.*?)endobj", pdf, re.S)}
    shares = []

    def walk(node):
        if re.search(rb"/Type\s*/Pages\b", node):
            for kid in re.findall(rb"(\d+) 0 R", re.search(rb"/Kids\s*\[(.*?)\]", node, re.S)[1]):
                walk(objects[int(kid)])
            return
        height = float(re.search(rb"/MediaBox\s*\[([^\]]*)\]", node)[1].split()[3])
        content = objects[int(re.search(rb"/Contents (\d+) 0 R", node)[1])].split(b"stream\n", 1)[1].split(b"\nendstream")[0]
        heights = [y for y in ink(zlib.decompress(content)) if 0 <= y <= height]
        shares.append(1 - min(heights) / height if heights else 0.0)

    walk(next(o for o in objects.values() if re.search(rb"/Type\s*/Pages\b", o) and b"/Parent" not in o))
    return shares
