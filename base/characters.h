// Bytes as text, where files are written and contents are hashed.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace dse {

/// Of the same memory: valid as long as `bytes` are.
inline std::string_view characters(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace dse
