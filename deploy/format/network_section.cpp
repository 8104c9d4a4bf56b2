#include "deploy/format/network_section.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "dse_package.h"

namespace dse::deploy {

namespace {

struct Piece {
  std::uint32_t at, in_image, size;
};

constexpr std::size_t kWorthwhile = 32;  // bytes; a piece costs 12
constexpr std::size_t kMostUses = 4;     // pieces are at most so many images: a small file makes no huge network

/// A constant in a .dsenet: where it begins, its bytes, and those of one of its filters.
struct Constant {
  std::size_t at, size, filter;
};

/// What the header of a .dsenet (models/nn/dsenet.h) says, in order.
std::vector<Constant> constants_of(std::span<const std::uint8_t> dsenet) {
  std::vector<Constant> out;
  if (dsenet.size() < 24) return out;
  const std::size_t header = dse_le32(dsenet.data() + 12), data = 24 + header;
  if (data > dsenet.size()) return out;
  const auto text = dsenet.subspan(24, header);
  const auto j = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!j.is_object() || !j.contains("tensors")) return out;
  for (const auto& t : j["tensors"]) {
    if (!t.contains("data") || !t["data"].is_array() || t["data"].size() != 2) continue;
    const auto size = t["data"][1].get<std::size_t>();
    const auto filters = t["shape"].empty() ? std::size_t{1} : std::max<std::size_t>(1, t["shape"][0]);
    out.push_back({data + t["data"][0].get<std::size_t>(), size, size % filters == 0 ? size / filters : size});
  }
  std::sort(out.begin(), out.end(), [](const Constant& a, const Constant& b) { return a.at < b.at; });
  return out;
}

/// Finds what the image has of a network, whole constants or filter by filter.
class Pieces {
 public:
  Pieces(std::span<const std::uint8_t> dsenet, std::span<const std::uint8_t> image) : dsenet_(dsenet), image_(image) {}
  void take(const Constant& c) {
    if (c.at < end_ || c.at + c.size > dsenet_.size() || find(c.at, c.size) || c.filter == c.size) return;
    for (std::size_t at = c.at; at < c.at + c.size; at += c.filter) find(at, c.filter);
  }
  const std::vector<Piece>& all() const { return pieces_; }

 private:
  bool find(std::size_t at, std::size_t size) {
    if (size < kWorthwhile || total_ + size > kMostUses * image_.size()) return false;
    const void* found = ::memmem(image_.data(), image_.size(), dsenet_.data() + at, size);
    if (!found) return false;
    const auto place = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - image_.data());
    total_ += size, end_ = at + size;
    if (!pieces_.empty() && pieces_.back().at + pieces_.back().size == at &&
        pieces_.back().in_image + pieces_.back().size == place)
      pieces_.back().size += static_cast<std::uint32_t>(size);
    else
      pieces_.push_back(
          {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(size)});
    return true;
  }

  std::span<const std::uint8_t> dsenet_, image_;
  std::vector<Piece> pieces_;
  std::size_t total_ = 0, end_ = 0;
};

}  // namespace

Bytes pack_network(std::span<const std::uint8_t> dsenet, std::span<const std::uint8_t> image) {
  Pieces found(dsenet, image);
  for (const Constant& c : constants_of(dsenet)) found.take(c);
  const auto& pieces = found.all();
  Bytes out;
  put_u32(out, static_cast<std::uint32_t>(dsenet.size()));
  put_u32(out, static_cast<std::uint32_t>(pieces.size()));
  for (const Piece& p : pieces) put_u32(out, p.at), put_u32(out, p.in_image), put_u32(out, p.size);
  std::size_t at = 0;
  for (const Piece& p : pieces) {
    out.insert(out.end(), dsenet.begin() + static_cast<std::ptrdiff_t>(at), dsenet.begin() + p.at);
    at = std::size_t{p.at} + p.size;
  }
  out.insert(out.end(), dsenet.begin() + static_cast<std::ptrdiff_t>(at), dsenet.end());
  return out;
}

std::optional<Bytes> unpack_network(std::span<const std::uint8_t> section, std::span<const std::uint8_t> image) {
  if (section.size() < 8) return std::nullopt;
  const std::size_t total = dse_le32(section.data()), count = dse_le32(section.data() + 4);
  if (count > (section.size() - 8) / 12) return std::nullopt;
  auto rest = section.subspan(8 + 12 * count);
  if (total > rest.size() + kMostUses * image.size()) return std::nullopt;
  Bytes out;
  const auto take = [&](std::size_t n) {
    if (n > rest.size()) return false;
    out.insert(out.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n));
    rest = rest.subspan(n);
    return true;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = section.data() + 8 + 12 * i;
    const std::size_t at = dse_le32(p), from = dse_le32(p + 4), size = dse_le32(p + 8);
    if (at < out.size() || from > image.size() || size > image.size() - from || !take(at - out.size()) ||
        size > total - std::min(total, out.size()))
      return std::nullopt;
    const auto piece = image.subspan(from, size);
    out.insert(out.end(), piece.begin(), piece.end());
  }
  if (!take(rest.size()) || out.size() != total) return std::nullopt;
  return out;
}

}  // namespace dse::deploy
