#include "explore/variants/combinations.h"

namespace dse::explore {

std::vector<Fields> combinations(const std::vector<Axis>& axes, const std::function<bool(const Axis&)>& wanted) {
  std::vector<Fields> all = {{}};
  for (const Axis& axis : axes) {
    if (!wanted(axis)) continue;
    std::vector<Fields> next;
    for (const Fields& f : all)
      for (const auto& value : axis.values) {
        next.push_back(f);
        next.back().emplace_back(axis.path, value);
      }
    all.swap(next);
  }
  return all;
}

bool is_of_layer(const Axis& a) { return a.path.find('.') != std::string::npos; }

std::string label_of(const std::string& base, const Fields& fields) {
  std::string out = base;
  for (const auto& [path, value] : fields) out += "/" + path + "=" + value;
  return out;
}

}  // namespace dse::explore
