#pragma once
#include <cstddef>

namespace dse {

/// A number of a layer, operator or task, none of which is negative, as an index of a container.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace dse
