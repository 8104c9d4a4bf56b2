#include "deploy/format/contents.h"

#include <algorithm>

#include "base/little_endian.h"
#include "deploy/format/container.h"
#include "deploy/format/errors.h"
#include "deploy/format/network_section.h"
#include "dse_package.h"
#include "dse_repair.h"

namespace dse::deploy {

namespace {

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
std::string text_of(const dse_section& s) {
  return s.size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(s.bytes), s.size);
}
Bytes bytes_of(const dse_section& s) { return s.size == 0 ? Bytes() : Bytes(s.bytes, s.bytes + s.size); }

/// u32 number of inputs, of outputs; of each u32 bytes, then they.
Bytes pack_vector(const Contents& c) {
  Bytes out;
  put_u32(out, static_cast<std::uint32_t>(c.inputs.size()));
  put_u32(out, static_cast<std::uint32_t>(c.outputs.size()));
  for (const auto* list : {&c.inputs, &c.outputs})
    for (const Bytes& b : *list) {
      put_u32(out, static_cast<std::uint32_t>(b.size()));
      out.insert(out.end(), b.begin(), b.end());
    }
  return out;
}

bool unpack_vector(const dse_section& s, Contents& c) {
  if (s.size < 8) return false;
  const std::uint8_t* at = s.bytes + 8;
  const std::uint8_t* const end = s.bytes + s.size;
  const std::size_t counts[2] = {dse_le32(s.bytes), dse_le32(s.bytes + 4)};
  ByteVectors* lists[2] = {&c.inputs, &c.outputs};
  for (int i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < counts[i]; ++k) {
      if (end - at < 4) return false;
      const std::size_t n = dse_le32(at);
      at += 4;
      if (n > static_cast<std::size_t>(end - at)) return false;
      lists[i]->emplace_back(at, at + n);
      at += n;
    }
  return at == end;
}

/// A program ends with the CRC-32C of all before it, so that the CRC-32C of a whole one is the same of all programs
/// (the residue): what tells them apart is their own.
std::uint32_t telling_crc(const dse_section& s) {
  return s.kind == DSE_SECTION_PROGRAM && s.size >= 4 ? dse_le32(s.bytes + s.size - 4) : s.crc;
}

std::optional<dse_package> open(std::span<const std::uint8_t> bytes, bool header_only, const std::string& file,
                                Diagnostics& d) {
  dse_package p;
  int status = DSE_ERR_LENGTH;
  if (bytes.size() <= 0xffffffffu)
    status = (header_only ? dse_package_open_header : dse_package_open)(&p, bytes.data(),
                                                                        static_cast<std::uint32_t>(bytes.size()));
  if (status == DSE_OK) return p;
  d.error({file, 0, 0}, explain(status));
  return std::nullopt;
}

}  // namespace

Bytes write_contents(const Contents& c, Audience audience, bool parity) {
  std::vector<Section> sections;
  const auto add = [&](std::uint32_t kind, bool required, std::size_t number, Bytes bytes) {
    sections.push_back({kind, required, static_cast<std::uint32_t>(number), std::move(bytes)});
    return static_cast<std::uint32_t>(sections.size() - 1);
  };
  if (!c.info.empty()) add(DSE_SECTION_INFO, false, 0, bytes_of(c.info));
  const std::uint32_t points = add(DSE_SECTION_POINTS, true, 0, {});
  std::vector<std::uint32_t> programs, images;
  for (std::size_t i = 0; i < c.points.size(); ++i)
    programs.push_back(add(DSE_SECTION_PROGRAM, true, i, c.points[i].program));
  for (std::size_t i = 0; i < c.images.size(); ++i) images.push_back(add(DSE_SECTION_WEIGHTS, true, i, c.images[i]));
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    Bytes& table = sections[points].bytes;
    const auto ticks = static_cast<std::uint64_t>(c.points[i].ticks);
    put_u32(table, programs[i]);
    put_u32(table, images.at(c.points[i].image));
    put_u32(table, static_cast<std::uint32_t>(ticks)), put_u32(table, static_cast<std::uint32_t>(ticks >> 32));
  }
  if (audience == Audience::host) {
    if (!c.device.empty()) add(DSE_SECTION_DEVICE, false, 0, bytes_of(c.device));
    if (!c.network.empty())
      add(DSE_SECTION_NETWORK, false, 0, pack_network(c.network, c.images.empty() ? Bytes() : c.images[0]));
    for (std::size_t i = 0; i < c.points.size(); ++i)
      if (!c.points[i].plan.empty()) add(DSE_SECTION_PLAN, false, i, bytes_of(c.points[i].plan));
    if (!c.inputs.empty() || !c.outputs.empty()) add(DSE_SECTION_VECTOR, false, 0, pack_vector(c));
  }
  return write_container(sections, parity);
}

std::optional<Contents> read_contents(std::span<const std::uint8_t> bytes, const std::string& file, Diagnostics& d) {
  const auto p = open(bytes, false, file, d);
  if (!p) return std::nullopt;
  const auto bad = [&](const std::string& what) {
    d.error({file, 0, 0}, what);
    return std::nullopt;
  };
  for (const SectionLine& s : sections_of(bytes, file, d))
    if (!s.whole) return bad("damaged: the CRC-32C of section " + s.kind + " does not match");
  dse_section s;
  if (dse_package_find(&*p, DSE_SECTION_SEALED, DSE_NO_SECTION, &s)) return bad(explain(DSE_ERR_SEALED));
  Contents c;
  std::vector<const std::uint8_t*> known;  // images, by where they lie
  for (std::uint32_t i = 0; i < dse_package_points(&*p); ++i) {
    dse_point_entry e;
    if (const int status = dse_package_point(&*p, i, &e); status != DSE_OK) return bad(explain(status));
    PackedPoint point;
    point.program = bytes_of(e.program);
    point.ticks = static_cast<std::int64_t>(e.ticks);
    const auto at = std::find(known.begin(), known.end(), e.weights.bytes);
    point.image = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) known.push_back(e.weights.bytes), c.images.push_back(bytes_of(e.weights));
    if (dse_package_find(&*p, DSE_SECTION_PLAN, i, &s)) point.plan = text_of(s);
    c.points.push_back(std::move(point));
  }
  if (c.points.empty()) return bad("holds no point");
  if (dse_package_find(&*p, DSE_SECTION_INFO, DSE_NO_SECTION, &s)) c.info = text_of(s);
  if (dse_package_find(&*p, DSE_SECTION_DEVICE, DSE_NO_SECTION, &s)) c.device = text_of(s);
  if (dse_package_find(&*p, DSE_SECTION_NETWORK, DSE_NO_SECTION, &s)) {
    auto network = unpack_network({s.bytes, s.size}, c.images[0]);
    if (!network) return bad("malformed: section NTWK");
    c.network = std::move(*network);
  }
  if (dse_package_find(&*p, DSE_SECTION_VECTOR, DSE_NO_SECTION, &s) && !unpack_vector(s, c))
    return bad("malformed: section VECT");
  return c;
}

std::vector<SectionLine> sections_of(std::span<const std::uint8_t> bytes, const std::string& file, Diagnostics& d) {
  std::vector<SectionLine> out;
  const auto p = open(bytes, true, file, d);
  if (!p) return out;
  for (std::uint32_t i = 0; i < p->sections; ++i) {
    dse_section s;
    if (dse_package_section(&*p, i, &s) != DSE_OK) continue;  // cannot be: the header was checked
    const auto known = {DSE_SECTION_POINTS, DSE_SECTION_PROGRAM, DSE_SECTION_WEIGHTS, DSE_SECTION_SEALED,
                        DSE_SECTION_INFO,   DSE_SECTION_NETWORK, DSE_SECTION_DEVICE,  DSE_SECTION_PLAN,
                        DSE_SECTION_VECTOR, DSE_SECTION_PARITY};
    out.push_back({kind_text(s.kind), (s.flags & DSE_SECTION_REQUIRED) != 0,
                   std::find(known.begin(), known.end(), s.kind) != known.end(), dse_section_is_whole(&s) != 0,
                   static_cast<std::uint32_t>(s.bytes - p->bytes), s.size, s.number, telling_crc(s)});
  }
  return out;
}

std::string info_of(std::span<const std::uint8_t> bytes) {
  Diagnostics none;
  const auto p = open(bytes, true, "", none);
  dse_section s;
  return p && dse_package_find(&*p, DSE_SECTION_INFO, DSE_NO_SECTION, &s) ? text_of(s) : "";
}

}  // namespace dse::deploy
