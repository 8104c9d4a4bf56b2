// Operators that move values to other places.
#include "tests/support/large/builder.h"

namespace dse::test::large {
namespace {

Make concat(std::size_t axis) {
  return [axis](Builder& b) -> Outputs {
    const int parts = b.drawn(2, 6);
    auto s = b.image();
    auto whole = s;
    std::vector<int> in;
    whole[axis] = 0;
    const auto each = std::max<std::int64_t>(1, s[axis] / parts);
    for (int i = 0; i < parts; ++i) {
      s[axis] = each + b.drawn(0, 2);
      whole[axis] += s[axis];
      in.push_back(b.source(s));
    }
    const int out = b.made(whole);
    nn::OperatorOptions o;
    o.axis = static_cast<int>(axis);
    b.emit(OperatorKind::concatenation, in, {out}, o);
    return {out};
  };
}

/// As detectors end: maps of boxes, renamed and joined along the boxes.
Outputs boxes(Builder& b) {
  std::vector<int> in;
  std::int64_t all = 0;
  auto s = b.image();
  for (int i = 0; i < 3; ++i, s[1] = std::max<std::int64_t>(1, s[1] / 2), s[2] = std::max<std::int64_t>(1, s[2] / 2)) {
    const auto count = s[1] * s[2] * s[3] / 4;
    const int x = b.source(s), flat = b.made({1, count, 4});
    b.emit(OperatorKind::reshape, {x}, {flat});
    in.push_back(flat), all += count;
  }
  const int out = b.made({1, all, 4});
  nn::OperatorOptions o;
  o.axis = 1;
  b.emit(OperatorKind::concatenation, in, {out}, o);
  return {out};
}

Make split(std::size_t axis) {
  return [axis](Builder& b) -> Outputs {
    const auto s = b.image();
    const int x = b.source(s);
    nn::OperatorOptions o;
    o.axis = static_cast<int>(axis);
    const std::int64_t first = b.drawn(1, static_cast<int>(s[axis]) - 1);
    o.sizes = {first, s[axis] - first};
    Outputs outs;
    for (const auto size : o.sizes) {
      auto part = s;
      part[axis] = size;
      outs.push_back(b.made(part));
    }
    b.emit(OperatorKind::split, {x}, outs, o);
    return outs;
  };
}

Make pad(OperatorKind kind, Shape before, Shape after, bool value = false) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.pad_before = before, o.pad_after = after;
    auto t = s;
    for (std::size_t d = 0; d < 4; ++d) t[d] += before[d] + after[d];
    const int x = b.source(s), out = b.made(t);
    std::vector<int> in = {x};
    if (value) in.push_back(b.constant({1}));
    b.emit(kind, in, {out}, o);
    return {out};
  };
}

Make transpose(Shape permutation) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.permutation = permutation;
    Shape t;
    for (const auto p : permutation) t.push_back(s[static_cast<std::size_t>(p)]);
    const int x = b.source(s), out = b.made(t);
    b.emit(OperatorKind::transpose, {x}, {out}, o);
    return {out};
  };
}

/// Blocks of 2 x 2 pixels to channels, or back, as files say it: reshape, transpose, reshape.
Make blocks(bool to_depth) {
  return [=](Builder& b) -> Outputs {
    auto s = b.image();
    s[1] &= ~std::int64_t{1}, s[2] &= ~std::int64_t{1};
    const int x = b.source(s);
    const Shape six = to_depth ? Shape{s[1] / 2, 2, s[2] / 2, 2, s[3]} : Shape{s[1], s[2], 2, 2, s[3] / 4};
    nn::OperatorOptions o;
    o.permutation = to_depth ? Shape{0, 2, 1, 3, 4} : Shape{0, 2, 1, 3, 4};
    Shape turned;
    for (const auto p : o.permutation) turned.push_back(six[static_cast<std::size_t>(p)]);
    const int cut = b.made(six), moved = b.made(turned);
    const int out = b.made(to_depth ? Shape{1, s[1] / 2, s[2] / 2, 4 * s[3]} : Shape{1, 2 * s[1], 2 * s[2], s[3] / 4});
    b.emit(OperatorKind::reshape, {x}, {cut});
    b.emit(OperatorKind::transpose, {cut}, {moved}, o);
    b.emit(OperatorKind::reshape, {moved}, {out});
    return {out};
  };
}

Make slice(Shape strides) {
  return [=](Builder& b) -> Outputs {
    const auto s = b.image();
    nn::OperatorOptions o;
    o.strides = strides, o.begin = {0, 1, 1, 1}, o.end = s;
    Shape t;
    for (std::size_t d = 0; d < 4; ++d) t.push_back((s[d] - o.begin[d] + strides[d] - 1) / strides[d]);
    const int x = b.source(s), out = b.made(t);
    b.emit(OperatorKind::strided_slice, {x}, {out}, o);
    return {out};
  };
}

Outputs pack(Builder& b) {
  const auto s = b.image();
  const int parts = b.drawn(2, 4);
  const Shape part = {s[1] / parts + 1, s[2], s[3]};
  std::vector<int> in;
  for (int i = 0; i < parts; ++i) in.push_back(b.source(part));
  nn::OperatorOptions o;
  o.axis = b.drawn(0, 2);
  auto whole = part;
  whole.insert(whole.begin() + o.axis, parts);
  const int out = b.made(whole);
  b.emit(OperatorKind::pack, in, {out}, o);
  return {out};
}

}  // namespace

Makers moves() {
  using K = OperatorKind;
  return {
      {"pad 0 1", pad(K::pad, {0, 0, 0, 0}, {0, 1, 1, 0})},
      {"pad around", pad(K::pad, {0, 2, 1, 0}, {0, 1, 3, 0})},
      {"pad channels", pad(K::pad, {0, 0, 0, 3}, {0, 0, 0, 5})},
      {"pad with a value", pad(K::pad, {0, 1, 1, 0}, {0, 1, 1, 0}, true)},
      {"concat of channels", concat(3)},
      {"concat of columns", concat(2)},
      {"concat of rows", concat(1)},
      {"concat of boxes", boxes},
      {"split of channels", split(3)},
      {"split of columns", split(2)},
      {"split of rows", split(1)},
      {"pack", pack},
      {"slice", slice({1, 1, 1, 1})},
      {"strided slice", slice({1, 2, 2, 1})},
      {"transpose to planes", transpose({0, 3, 1, 2})},
      {"transpose of images", transpose({0, 2, 1, 3})},
      {"space to depth", blocks(true)},
      {"depth to space", blocks(false)},
      {"mirror pad", pad(K::mirror_pad, {0, 1, 1, 0}, {0, 1, 1, 0})},
  };
}

}  // namespace dse::test::large
