#include "plan/layer/nest/nest.h"

#include <algorithm>

namespace dse::plan {

Depths depths_of(Buffering buffering) {
  switch (buffering) {
    case Buffering::twice:
      return {2, 2, 2};
    case Buffering::once:
      return {1, 1, 1};
    case Buffering::thrice:
      return {3, 3, 3};
    case Buffering::input_twice:
      return {2, 1, 1};
    case Buffering::filters_twice:
      return {1, 2, 1};
    case Buffering::output_twice:
      return {1, 1, 2};
    case Buffering::input_once:
      return {1, 2, 2};
    case Buffering::filters_once:
      return {2, 1, 2};
    case Buffering::output_once:
      return {2, 2, 1};
  }
  return {};
}

const std::vector<std::string>& buffering_names() {
  static const std::vector<std::string> names = {"double",       "single",         "triple",
                                                 "double-input", "double-filters", "double-output",
                                                 "single-input", "single-filters", "single-output"};
  return names;
}

int Nest::index(Loop loop) const {
  const auto at = std::find(loops.begin(), loops.end(), loop);
  return at == loops.end() ? -1 : static_cast<int>(at - loops.begin());
}

}  // namespace dse::plan
