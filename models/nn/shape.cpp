#include "models/nn/shape.h"

#include <fmt/format.h>

namespace dse::nn {

std::string text_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) out[i - 1] = out[i] * shape[i];
  return out;
}

std::int64_t product_of(const std::vector<std::int64_t>& shape, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t i = first; i < last && i < shape.size(); ++i) n *= shape[i];
  return n;
}

bool broadcasts(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto f = from[from.size() - 1 - i], t = to[to.size() - 1 - i];
    if (f != t && f != 1) return false;
  }
  return true;
}

std::vector<std::int64_t> broadcast_strides(const std::vector<std::int64_t>& from,
                                            const std::vector<std::int64_t>& to) {
  const auto own = strides_of(from);
  std::vector<std::int64_t> out(to.size(), 0);
  for (std::size_t d = 0; d < from.size() && d < to.size(); ++d)
    if (from[from.size() - 1 - d] != 1) out[to.size() - 1 - d] = own[from.size() - 1 - d];
  return out;
}

}  // namespace dse::nn
