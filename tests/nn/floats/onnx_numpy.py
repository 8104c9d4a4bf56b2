"""Evaluates a float ONNX file in double precision and compares every node's output with the project's own.

  onnx_numpy.py DUMPER SHARED MODEL [SEED]

Shares no code with the project: reads the protobuf wire format itself. DUMPER (tests/nn/dump_tensors.cpp) writes what the
project computes. What a weight-making node (ConstantOfShape) gives is replaced by seeded values on both sides, see
models/nn/made/fill.h. MODEL is looked for in models/onnx of $DSE_SHARED, else of SHARED. Fails unless max |a - b| <= 1e-4 * max |b| for every node. Exit code 77: the model is not there.
"""
import os
import subprocess
import struct
import sys
import tempfile

import numpy as np

TOLERANCE = 1e-4
GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


# --- protobuf -------------------------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of every field of a message; lengths are bytes, numbers ints, fixed-size fields bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            if kind == 2:
                size, at = varint(data, at)
            else:
                size = {1: 8, 5: 4}[kind]
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def integers(value):
    """One varint, or packed ones."""
    if isinstance(value, int):
        return [signed(value)]
    out, at = [], 0
    while at < len(value):
        v, at = varint(value, at)
        out.append(signed(v))
    return out


def tensor(data):
    dims, kind, raw, floats, longs, name = [], 1, None, [], [], ""
    for number, value in fields(data):
        if number == 1:
            dims += integers(value)
        elif number == 2:
            kind = value
        elif number == 4:
            floats += struct.unpack("<%df" % (len(value) // 4), value)
        elif number == 7:
            longs += integers(value)
        elif number == 8:
            name = value.decode()
        elif number == 9 and len(value):
            raw = value
    dtype = {1: np.float32, 7: np.int64}[kind]
    values = np.frombuffer(raw, dtype) if raw is not None else np.array(floats if kind == 1 else longs, dtype)
    return name, values.reshape(dims)


class Node:
    def __init__(self, data):
        self.inputs, self.outputs, self.kind, self.attributes = [], [], "", {}
        for number, value in fields(data):
            if number == 1:
                self.inputs.append(value.decode())
            elif number == 2:
                self.outputs.append(value.decode())
            elif number == 4:
                self.kind = value.decode()
            elif number == 5:
                self.attribute(value)

    def attribute(self, data):
        name, value, listed = "", None, []
        for number, v in fields(data):
            if number == 1:
                name = v.decode()
            elif number == 2:
                value = struct.unpack("<f", v)[0]
            elif number == 3:
                value = signed(v)
            elif number == 4:
                value = v.decode()
            elif number == 5:
                value = tensor(v)[1]
            elif number == 8:
                listed += integers(v)
        self.attributes[name] = listed if listed else value

    def get(self, name, default):
        return self.attributes.get(name, default)


def read_model(path):
    with open(path, "rb") as file:
        model = file.read()
    graph = next(value for number, value in fields(model) if number == 7)
    nodes, constants, inputs = [], {}, []
    for number, value in fields(graph):
        if number == 1:
            nodes.append(Node(value))
        elif number == 5:
            name, values = tensor(value)
            constants[name] = values
        elif number == 11:
            inputs.append(value)
    shapes = {}
    for value in inputs:
        name, shape = "", []
        for number, v in fields(value):
            if number == 1:
                name = v.decode()
            elif number == 2:
                for tensor_type in (w for n, w in fields(v) if n == 1):
                    for dims in (w for n, w in fields(tensor_type) if n == 2):
                        shape = [next((w for n, w in fields(d) if n == 1), 1) for _, d in fields(dims)]
        if name not in constants:
            shapes[name] = shape
    return nodes, constants, shapes


# --- seeded values --------------------------------------------------------------------------------------------------

def mixed(z):
    """The output function of splitmix64, on arrays of uint64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def draws(state, first, count, step=1):
    """Draws first, first + step, ... (from 0) of a splitmix64 generator."""
    i = np.arange(count, dtype=np.uint64) * np.uint64(step) + np.uint64(first + 1)
    return mixed(np.uint64(state & MASK) + i * np.uint64(GAMMA))


def seed_of(name, seed):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value ^ seed


def normal(seed, shape, deviation=1.0):
    """float32, of deviation * standard normal."""
    count = int(np.prod(shape, dtype=np.int64))
    out = np.empty(count, np.float32)
    for first in range(0, count, 1 << 22):
        size = min(1 << 22, count - first)
        a, b = draws(seed, 2 * first, size, 2), draws(seed, 2 * first + 1, size, 2)
        u = ((a >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0 ** -53
        v = (b >> np.uint64(11)).astype(np.float64) * 2.0 ** -53
        out[first:first + size] = deviation * (np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v))
    return out.reshape(shape)


def made_up(name, shape, node, position, seed):
    own = seed_of(name, seed)
    if node.kind in ("Conv", "Gemm", "MatMul") and position == 1:
        rows_first = node.kind == "Conv" or node.get("transB", 0)
        fan_in = np.prod(shape[1:]) if rows_first else shape[-2]
        return normal(own, shape, np.sqrt(2.0 / fan_in))
    g = normal(own, shape).astype(np.float64)
    if (node.kind == "BatchNormalization" and position == 1) or node.kind == "Mul":
        return (1.0 + 0.1 * g).astype(np.float32)
    if node.kind == "BatchNormalization" and position == 4:
        return (0.5 + 0.5 * (g * g)).astype(np.float32)
    return normal(own, shape, np.sqrt(2.0 / 200))


def seeded_input(shape, ordinal, seed):
    count = int(np.prod(shape))
    bits = draws(0x7F1A2E5D00000000 + 1000003 * seed + 7919 * ordinal, 0, count)
    return ((bits >> np.uint64(40)).astype(np.float64) / 8388608.0 - 1.0).reshape(shape)


# --- operators ------------------------------------------------------------------------------------------------------

def windows(node, x, fill, kernel):
    """A view [n, c, out_h, out_w, kernel_h, kernel_w] of the padded input."""
    top, left, bottom, right = node.get("pads", [0, 0, 0, 0])
    stride = node.get("strides", [1, 1])
    assert node.get("auto_pad", "NOTSET") == "NOTSET" and node.get("dilations", [1, 1]) == [1, 1]
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3))
    return view[:, :, ::stride[0], ::stride[1]]


def conv(node, x, w, bias=None):
    groups = node.get("group", 1)
    view = windows(node, x, 0.0, w.shape[2:])
    n, _, height, width = view.shape[:4]
    filters, per_group = w.shape[0] // groups, w.shape[1]
    out = np.empty((n, w.shape[0], height, width))
    rows = max(1, (1 << 23) // (per_group * w.shape[2] * w.shape[3] * width))  # patches of 64 MB at a time
    for g in range(groups):
        matrix = w[g * filters:(g + 1) * filters].astype(np.float64).reshape(filters, -1)
        for first in range(0, height, rows):
            part = view[:, g * per_group:(g + 1) * per_group, first:first + rows]
            patches = part.transpose(0, 2, 3, 1, 4, 5).reshape(-1, matrix.shape[1])
            result = (patches @ matrix.T).reshape(n, -1, width, filters)
            out[:, g * filters:(g + 1) * filters, first:first + rows] = result.transpose(0, 3, 1, 2)
    return out if bias is None else out + bias.astype(np.float64)[None, :, None, None]


def average_pool(node, x):
    kernel = node.get("kernel_shape", None)
    total = windows(node, x, 0.0, kernel).sum((4, 5))
    if node.get("count_include_pad", 0):
        return total / np.prod(kernel)
    return total / windows(node, np.ones_like(x), 0.0, kernel).sum((4, 5))


def softmax(node, x):
    axis = node.get("axis", 1)  # before opset 13: of the tensor flattened to two dimensions at `axis`
    flat = x.reshape(int(np.prod(x.shape[:axis])), -1)
    e = np.exp(flat - flat.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True)).reshape(x.shape)


def lrn(node, x):
    size = node.get("size", 1)
    squares = np.pad(x * x, ((0, 0), ((size - 1) // 2, size // 2), (0, 0), (0, 0)))
    total = sum(squares[:, k:k + x.shape[1]] for k in range(size))
    base = node.get("bias", 1.0) + node.get("alpha", 1e-4) / size * total
    return x / base ** node.get("beta", 0.75)


def batch_normalization(node, x, scale, bias, mean, variance):
    column = [v.astype(np.float64).reshape(1, -1, *([1] * (x.ndim - 2))) for v in (scale, bias, mean, variance)]
    return column[0] * (x - column[2]) / np.sqrt(column[3] + node.get("epsilon", 1e-5)) + column[1]


def gemm(node, a, b, c=None):
    assert not node.get("transA", 0)
    out = np.empty((a.shape[0], b.shape[0] if node.get("transB", 0) else b.shape[1]))
    for first in range(0, out.shape[1], 512):  # weights to double in slices
        part = b[first:first + 512].T if node.get("transB", 0) else b[:, first:first + 512]
        out[:, first:first + 512] = node.get("alpha", 1.0) * (a @ part.astype(np.float64))
    return out if c is None else out + node.get("beta", 1.0) * c


def reshape(node, x, shape):
    wanted = [x.shape[i] if d == 0 else int(d) for i, d in enumerate(shape)]
    return x.reshape(wanted)


OPERATORS = {
    "Conv": conv,
    "Relu": lambda node, x: np.maximum(x, 0),
    "MaxPool": lambda node, x: windows(node, x, -np.inf, node.get("kernel_shape", None)).max((4, 5)),
    "AveragePool": average_pool,
    "GlobalAveragePool": lambda node, x: x.mean((2, 3), keepdims=True),
    "Concat": lambda node, *x: np.concatenate(x, node.get("axis", 0)),
    "Add": lambda node, a, b: a + b,
    "Mul": lambda node, a, b: a * b,
    "Sum": lambda node, *x: sum(x),
    "Dropout": lambda node, x: x,
    "Reshape": reshape,
    "Softmax": softmax,
    "LRN": lrn,
    "BatchNormalization": batch_normalization,
    "Gemm": gemm,
}


def main():
    dumper, shared, model = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    path = os.path.join(os.environ.get("DSE_SHARED") or shared, "models", "onnx", model)
    if not os.path.exists(path):
        print("no", path)
        return 77
    nodes, constants, input_shapes = read_model(path)
    compared, worst, failed = 0, (0.0, ""), 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([dumper, path, folder, str(seed)], check=True)
        files = {}
        with open(os.path.join(folder, "names.txt")) as names:
            for line in names:
                index, name = line.rstrip("\n").split(" ", 1)
                files[name] = os.path.join(folder, index + ".bin")
        values = {name: seeded_input(shape, i, seed) for i, (name, shape) in enumerate(input_shapes.items())}
        by_rule = {}  # constants of weight-making nodes: their shapes
        last_use = {name: i for i, node in enumerate(nodes) for name in node.inputs}

        def operand(name, node, position):
            if name in by_rule and name not in constants:
                constants[name] = made_up(name, by_rule[name], node, position, seed)
            return constants[name] if name in constants else values[name]

        for i, node in enumerate(nodes):
            if node.kind == "ConstantOfShape":
                by_rule[node.outputs[0]] = tuple(int(d) for d in constants[node.inputs[0]])
                continue
            if node.kind in ("Unsqueeze", "Reshape") and (node.inputs[0] in by_rule or node.inputs[0] in constants):
                shape = list(by_rule[node.inputs[0]] if node.inputs[0] in by_rule else constants[node.inputs[0]].shape)
                for axis in node.get("axes", []):
                    shape.insert(axis, 1)
                if node.kind == "Reshape":
                    shape = list(np.empty(shape, np.bool_).reshape(constants[node.inputs[1]]).shape)
                if node.inputs[0] in by_rule:
                    by_rule[node.outputs[0]] = tuple(shape)
                else:
                    constants[node.outputs[0]] = constants[node.inputs[0]].reshape(shape)
                continue
            operands = [operand(name, node, p) for p, name in enumerate(node.inputs)]
            output = node.outputs[0]
            values[output] = OPERATORS[node.kind](node, *operands)
            b = values[output]
            a = np.fromfile(files[output], np.float32).astype(np.float64)
            if a.size != b.size:
                print("%s %s: %d elements, expected shape %s" % (node.kind, output, a.size, b.shape))
                return 1
            scale = np.abs(b).max()
            error = np.abs(a.reshape(b.shape) - b).max() / scale if scale else np.abs(a).max()
            compared += 1
            worst = max(worst, (error, "%s %s" % (node.kind, output)))
            if not error <= TOLERANCE or not np.isfinite(scale):
                failed += 1
                print("%s %s: max |a - b| = %.3g max |b|, max |b| = %.3g" % (node.kind, output, error, scale))
            for name in node.inputs:
                if last_use[name] == i:
                    values.pop(name, None)
                    constants.pop(name, None)
    print("%s: %d nodes compared, worst %.3g at %s" % (os.path.basename(path), compared, worst[0], worst[1]))
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
