#include <algorithm>

#include "plan/alloc/search.h"

namespace dse::plan::alloc {

std::vector<std::vector<int>> search_orders(const Model& m) {
  std::vector<std::int64_t> load(m.sections, 0);
  for (int i = 0; i < m.count(); ++i)
    for (const Run& r : m.runs[i])
      for (int s = r.first; s < r.end; ++s) load[s] += r.size();
  std::vector<double> most(m.count(), 0.0), width(m.count(), 0.0), area(m.count(), 0.0);
  for (int i = 0; i < m.count(); ++i) {
    for (const Run& r : m.runs[i]) {
      for (int s = r.first; s < r.end; ++s) most[i] = std::max(most[i], static_cast<double>(load[s]));
    }
    width[i] = static_cast<double>(m.life[i]);
    area[i] = width[i] * static_cast<double>(m.size[i]);
  }
  std::vector<std::vector<int>> out;
  using Keys = std::vector<const std::vector<double>*>;
  for (const Keys& keys : {Keys{&most, &width, &area}, Keys{&most, &area, &width}, Keys{&width, &area, &most},
                           Keys{&area, &width, &most}}) {
    auto order = given_order(m);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      for (const auto* key : keys)
        if ((*key)[a] != (*key)[b]) return (*key)[a] > (*key)[b];
      return false;
    });
    out.push_back(std::move(order));
  }
  return out;
}

}  // namespace dse::plan::alloc
