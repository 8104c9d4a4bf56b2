// Time cut into sections: what is needed while nothing begins, ends or changes.
#pragma once
#include <span>

#include "plan/alloc/problem.h"

namespace dse::plan::alloc {

/// Bytes [begin, end) of a buffer, from its start, that are needed during the steps [lower, upper).
struct Need {
  std::int64_t lower = 0, upper = 0, begin = 0, end = 0;
};

/// Ascending; what needs nothing is left out.
std::vector<Need> needs_of(const Buffer& b);

/// What a buffer needs in a section: bytes, or units of the model.
struct Entry {
  int buffer = 0;
  std::int64_t begin = 0, end = 0;
  bool operator==(const Entry&) const = default;
};
using Section = std::vector<Entry>;  // by buffer

/// The sections in the order of time, per buffer's needs. Those that need nothing which the one before or after them
/// does not need too are left out, and those that need the same as an earlier one.
std::vector<Section> sections_of(const std::vector<std::vector<Need>>& needs);

}  // namespace dse::plan::alloc
