#include "methods/dataflow/flow.h"

namespace dse::plan::phases {

void Flow::index() {
  ins.assign(actors.size(), {}), outs.assign(actors.size(), {});
  for (std::size_t i = 0; i < channels.size(); ++i) {
    outs[static_cast<std::size_t>(channels[i].from)].push_back(static_cast<int>(i));
    ins[static_cast<std::size_t>(channels[i].to)].push_back(static_cast<int>(i));
  }
}

bool Progress::all_done(const Flow& f) const {
  for (std::size_t a = 0; a < f.actors.size(); ++a)
    if (fired_[a] < f.actors[a].firings) return false;
  return true;
}

}  // namespace dse::plan::phases
