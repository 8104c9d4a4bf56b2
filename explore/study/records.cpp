#include "explore/study/records.h"

#include <algorithm>
#include <array>

namespace dse::explore {

static constexpr std::array<std::string_view, kCandidateStatuses> kWords = {"simulated", "dominated", "infeasible",
                                                                            "outside",   "crashed",   "hung"};

std::string_view to_string(CandidateStatus status) { return kWords.at(static_cast<std::size_t>(status)); }

std::optional<CandidateStatus> candidate_status(std::string_view word) {
  const auto* const at = std::find(kWords.begin(), kWords.end(), word);
  if (at == kWords.end()) return std::nullopt;
  return static_cast<CandidateStatus>(at - kWords.begin());
}

}  // namespace dse::explore
