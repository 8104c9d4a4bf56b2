// Views, ranges and numbers: the parts that payloads are made of.
#include <cstdlib>
#include <limits>

#include "base/diagnostics.h"
#include "program/encoding.h"

namespace dse::program {

namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<std::uint8_t>(v | 0x80));
  out.push_back(static_cast<std::uint8_t>(v));
}
std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
std::int32_t narrow(std::int64_t v, const char* what) {
  ensure(v >= 0 && v <= std::numeric_limits<std::int32_t>::max(), std::string("encode: ") + what + " beyond 31 bits");
  return static_cast<std::int32_t>(v);
}
/// b - a modulo 2^32: the decoder adds modulo 2^32, so any two values have a difference of at most five bytes.
std::int32_t difference_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(b) - static_cast<std::uint32_t>(a));
}

}  // namespace

void Encoder::varint(std::uint64_t v) { put(bytes_, v); }
void Encoder::svarint(std::int64_t v) { put(bytes_, zigzag(v)); }

// Often different fields first: the first seven fit the first byte of the mask.
Encoder::ViewFields Encoder::fields_of(const View& v) {
  const dse_view& s = v.shape;
  return {narrow(v.offset, "offset of a view"),
          v.arena,
          s.stride_h,
          s.stride_w,
          s.ring_h,
          s.elem,
          s.stride_c,
          s.first_h,
          s.first_c,
          s.ring_c,
          s.block_c,
          s.stride_block};
}

std::vector<std::uint8_t> Encoder::difference(const ViewFields& v, const ViewFields& base) {
  std::vector<std::uint8_t> out;
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kViewFields; ++i)
    if (v[i] != base[i]) mask |= 1u << i;
  put(out, mask);
  for (std::size_t i = 0; i < kViewFields; ++i)
    if (v[i] != base[i]) put(out, zigzag(difference_of(base[i], v[i])));
  return out;
}

void Encoder::view(const View& v) {
  if (!v.present()) return u8(DSE_VIEW_ABSENT);
  const ViewFields f = fields_of(v);
  ensure(std::abs(v.shape.first_h) <= DSE_FAR && std::abs(v.shape.first_c) <= DSE_FAR && v.shape.elem >= 0 &&
             v.shape.elem < 256,
         "encode: view out of bounds");
  const ViewFields plain = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  std::uint8_t tag = DSE_VIEW_NEW;
  std::vector<std::uint8_t> best = difference(f, plain);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (views_[i] == f) return u8(static_cast<std::uint8_t>(i));
    std::vector<std::uint8_t> d = difference(f, views_[i]);
    if (d.size() >= best.size()) continue;
    best = std::move(d);
    tag = static_cast<std::uint8_t>(DSE_VIEW_DELTA + i);
  }
  u8(tag);
  bytes_.insert(bytes_.end(), best.begin(), best.end());
  if (views_.size() < kTable) views_.push_back(f);
}

void Encoder::range(const Range& r) {
  ensure(r.limit >= 0 && r.limit <= DSE_FAR && r.loop >= -1 && r.loop < kMaxLoops, "encode: range out of bounds");
  if (r.limit < 32 && r == Range::whole(r.limit)) return u8(static_cast<std::uint8_t>(DSE_RANGE_SMALL + r.limit));
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    if (ranges_[i] == r) return u8(static_cast<std::uint8_t>(i));
  const bool steps = r.loop >= 0 && r.step > 0 && r.step < 1 << 24;  // else (ahead + 1) * step might overflow
  const std::int32_t ahead = steps ? r.lo / r.step : -1;
  if (r == Range::whole(r.limit)) {
    u8(DSE_RANGE_WHOLE);
    varint(static_cast<std::uint32_t>(r.limit));
  } else if (ahead >= 0 && ahead < 8 && r == Range::tiles(r.loop, r.step, r.limit, ahead)) {
    u8(static_cast<std::uint8_t>(DSE_RANGE_TILES + (r.loop << 3) + ahead));
    varint(static_cast<std::uint32_t>(r.step));
    varint(static_cast<std::uint32_t>(r.limit));
  } else {
    u8(static_cast<std::uint8_t>(DSE_RANGE_GENERAL + r.loop + 1));
    svarint(r.lo);
    svarint(difference_of(r.lo, r.hi));
    varint(static_cast<std::uint32_t>(r.limit));
    svarint(r.step);
  }
  if (ranges_.size() < kTable) ranges_.push_back(r);
}

}  // namespace dse::program
