#include "deploy/format/container.h"

#include <algorithm>
#include <limits>

#include "base/crc32.h"
#include "base/diagnostics.h"
#include "base/little_endian.h"
#include "base/units.h"
#include "dse_repair.h"

namespace dse::deploy {

namespace {

std::size_t aligned(std::size_t n, int to) {
  return static_cast<std::size_t>(round_up(static_cast<std::int64_t>(n), to));
}

/// Where each section begins, and where the last one ends.
std::vector<std::size_t> offsets_of(const std::vector<Section>& sections, std::size_t entries) {
  std::vector<std::size_t> out;
  std::size_t at = DSE_PACKAGE_HEADER + entries * DSE_PACKAGE_ENTRY;
  for (const Section& s : sections) {
    out.push_back(at = aligned(at, DSE_SECTION_ALIGNMENT));
    at += s.bytes.size();
  }
  out.push_back(at);
  return out;
}

/// Bytes that check bits are of: all before them, in whole blocks; 0 = without check bits.
std::size_t checked_size(const std::vector<Section>& sections, bool parity) {
  return parity ? aligned(offsets_of(sections, sections.size() + 1).back(), DSE_PARITY_BLOCK) : 0;
}

}  // namespace

std::string kind_text(std::uint32_t kind) {
  std::string out;
  for (int i = 0; i < 4; ++i) {
    const char c = static_cast<char>(kind >> (8 * i));
    out += c > ' ' && c <= '~' ? c : c == ' ' ? '\0' : '?';
  }
  std::erase(out, '\0');
  return out;
}

std::size_t container_size(const std::vector<Section>& sections, bool parity) {
  const std::size_t checked = checked_size(sections, parity);
  const std::size_t body =
      parity ? checked + checked / DSE_PARITY_BLOCK * DSE_PARITY_BYTES : offsets_of(sections, sections.size()).back();
  return body + DSE_PACKAGE_TRAILER;
}

Bytes container_start(std::size_t sections, std::size_t total) {
  Bytes out(reinterpret_cast<const std::uint8_t*>(DSE_PACKAGE_MAGIC),
            reinterpret_cast<const std::uint8_t*>(DSE_PACKAGE_MAGIC) + sizeof DSE_PACKAGE_MAGIC - 1);
  put_u32(out, DSE_PACKAGE_FORMAT);
  put_u32(out, static_cast<std::uint32_t>(total));
  put_u32(out, static_cast<std::uint32_t>(sections));
  put_u32(out, DSE_PACKAGE_ENTRY);
  return out;
}

Bytes write_container(const std::vector<Section>& sections, bool parity) {
  const std::size_t total = container_size(sections, parity), checked = checked_size(sections, parity);
  ensure(total <= std::numeric_limits<std::uint32_t>::max(), "a package beyond 4 GiB");
  std::vector<Section> all = sections;
  if (parity) all.push_back({DSE_SECTION_PARITY, false, 0, Bytes(checked / DSE_PARITY_BLOCK * DSE_PARITY_BYTES)});
  Bytes out = container_start(all.size(), total);
  auto offsets = offsets_of(sections, all.size());
  if (parity) offsets.back() = checked;
  out.resize(DSE_PACKAGE_HEADER, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Section& s = all[i];
    put_u32(out, s.kind);
    put_u32(out, s.required ? DSE_SECTION_REQUIRED : 0);
    put_u32(out, static_cast<std::uint32_t>(offsets[i]));
    put_u32(out, static_cast<std::uint32_t>(s.bytes.size()));
    // That of check bits is 0: they are of the table too, which cannot hold what depends on it.
    put_u32(out, s.kind == DSE_SECTION_PARITY ? 0 : crc32c(s.bytes.data(), s.bytes.size()));
    put_u32(out, s.number);
  }
  set_u32(out, DSE_PACKAGE_CHECK, crc32c(out.data(), out.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    out.resize(offsets[i], 0);
    out.insert(out.end(), sections[i].bytes.begin(), sections[i].bytes.end());
  }
  if (parity) {
    out.resize(checked, 0);
    for (std::size_t b = 0; b < checked; b += DSE_PARITY_BLOCK) {
      const std::uint32_t bits = dse_parity_of(out.data() + b, DSE_PARITY_BLOCK);
      out.push_back(static_cast<std::uint8_t>(bits)), out.push_back(static_cast<std::uint8_t>(bits >> 8));
    }
  }
  put_u32(out, crc32c(out.data(), out.size()));
  ensure(out.size() == total, "size of a package");
  return out;
}

}  // namespace dse::deploy
