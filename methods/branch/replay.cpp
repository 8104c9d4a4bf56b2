// The judge of candidates: moves every value as a device would, and shares nothing with the search.
#include <algorithm>

#include "methods/branch/model.h"

namespace dse::plan::branch {
namespace {

class Replay {
 public:
  Replay(const Graph& graph, const Candidate& candidate, const Rules& rules)
      : g_(graph), c_(candidate), rules_(rules), step_of_(graph.nodes.size(), -1), last_of_(graph.nodes.size(), -1) {}

  std::string fault() {
    if (auto what = order(); !what.empty()) return what;
    if (rules_.model == Model::liveness) return peak();
    for (std::size_t i = 0; i < c_.steps.size(); ++i)
      if (auto what = step(static_cast<int>(i)); !what.empty()) return what;
    if (auto what = scratch(); !what.empty()) return what;
    if (auto what = kept(); !what.empty()) return what;
    return sizes();
  }

 private:
  const Node& node(int n) const { return g_.nodes[static_cast<std::size_t>(n)]; }
  int step_of(int n) const { return step_of_[static_cast<std::size_t>(n)]; }
  bool copied(int n) const { return c_.steps[static_cast<std::size_t>(step_of(n))].scratch >= 0; }

  std::string order() {
    const auto count = g_.nodes.size();
    if (c_.steps.size() != count) return "not every node runs once";
    for (std::size_t i = 0; i < count; ++i) {
      const int n = c_.steps[i].node;
      if (n < 0 || n >= static_cast<int>(count) || step_of(n) >= 0) return "not every node runs once";
      step_of_[static_cast<std::size_t>(n)] = static_cast<int>(i);
      for (int input : node(n).inputs)
        if (step_of(input) < 0) return node(n).name + " runs before its input " + node(input).name;
      for (int other : node(n).after)
        if (step_of(other) < 0) return node(n).name + " runs before " + node(other).name;
    }
    for (std::size_t n = 0; n < count; ++n) {
      last_of_[n] = step_of_[n];
      for (int reader : g_.nodes[n].readers) last_of_[n] = std::max(last_of_[n], step_of(reader));
      if (g_.nodes[n].kept) last_of_[n] = static_cast<int>(count);
    }
    std::size_t given = 0;
    for (std::size_t n = 0; n < count; ++n)
      if (g_.nodes[n].given && step_of_[n] != static_cast<int>(given++))
        return "input " + g_.nodes[n].name + " is not there at the start";
    for (std::size_t n = 0; n < count && !rules_.interrupt; ++n) {
      const auto& readers = g_.nodes[n].readers;
      if (readers.empty() || !continues(g_, static_cast<int>(n), readers[0])) continue;
      if (step_of(readers[0]) != step_of_[n] + 1) return "the branch of " + g_.nodes[n].name + " is interrupted";
    }
    return {};
  }

  std::string step(int i) {
    const auto& step = c_.steps[static_cast<std::size_t>(i)];
    const auto& n = node(step.node);
    int held = 0;  // operational buffers that hold an input
    for (int input : n.inputs) {
      if (node(input).bytes == 0) continue;
      const bool here = content_[0] == input || content_[1] == input;
      held += here ? 1 : 0;
      if (!here && !copied(input)) return n.name + " does not find its input " + node(input).name;
    }
    if (n.bytes == 0) return step.place == Place::none ? std::string() : n.name + " has nothing to store";
    if (step.place == Place::scratch) {
      if (rules_.model != Model::direct_to_scratch) return n.name + " goes to scratch directly";
      return copied(step.node) ? std::string() : n.name + " has no scratch buffer";
    }
    if (step.place == Place::none) return n.name + " is stored nowhere";
    const auto b = static_cast<std::size_t>(step.place);
    const int old = content_[b];
    const bool reads_old = old >= 0 && std::count(n.inputs.begin(), n.inputs.end(), old) != 0;
    if (reads_old && !copied(old)) return n.name + " overwrites its own input " + node(old).name;
    if (reads_old && rules_.model == Model::named_buffers && (held < 2 || latest_ == static_cast<int>(b)))
      return n.name + " overwrites the buffer that it reads";
    content_[b] = step.node;
    latest_ = static_cast<int>(b);
    largest_[b] = std::max(largest_[b], n.bytes);
    return {};
  }

  std::string kept() const {
    for (std::size_t n = 0; n < g_.nodes.size(); ++n)
      if (const int id = static_cast<int>(n);
          g_.nodes[n].kept && g_.nodes[n].bytes != 0 && !copied(id) && content_[0] != id && content_[1] != id)
        return "output " + g_.nodes[n].name + " is lost";
    return {};
  }

  std::string scratch() const {
    std::vector<bool> seen(g_.nodes.size(), false);
    for (std::size_t k = 0; k < c_.scratch.size(); ++k) {
      const auto& buffer = c_.scratch[k];
      std::int64_t largest = 0;
      for (std::size_t a = 0; a < buffer.values.size(); ++a) {
        const auto n = static_cast<std::size_t>(buffer.values[a]);
        if (seen[n]) return g_.nodes[n].name + " has two scratch buffers";
        seen[n] = true;
        largest = std::max(largest, g_.nodes[n].bytes);
        if (c_.steps[static_cast<std::size_t>(step_of_[n])].scratch != static_cast<int>(k))
          return g_.nodes[n].name + " is not in the scratch buffer of its step";
        for (std::size_t b = 0; b < a; ++b) {
          const auto m = static_cast<std::size_t>(buffer.values[b]);
          if (!rules_.share_scratch || (step_of_[n] <= last_of_[m] && step_of_[m] <= last_of_[n]))
            return g_.nodes[n].name + " and " + g_.nodes[m].name + " need the same scratch buffer at once";
        }
      }
      if (largest != buffer.bytes) return "scratch buffer " + std::to_string(k) + " has the wrong size";
    }
    for (const auto& step : c_.steps)
      if (step.scratch >= 0 && !seen[static_cast<std::size_t>(step.node)])
        return node(step.node).name + " is in no scratch buffer";
    return {};
  }

  std::string sizes() const {
    if (largest_ != c_.operational) return "the operational buffers have other sizes";
    if (c_.total != c_.operational_bytes() + c_.scratch_bytes()) return "the buffers do not sum up to the total";
    return {};
  }

  std::string peak() const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < c_.steps.size(); ++i) {
      std::int64_t now = 0;
      for (std::size_t n = 0; n < g_.nodes.size(); ++n)
        if (step_of_[n] <= static_cast<int>(i) && static_cast<int>(i) <= last_of_[n]) now += g_.nodes[n].bytes;
      most = std::max(most, now);
    }
    return most == c_.total ? std::string() : "the peak of live bytes is " + std::to_string(most);
  }

  const Graph& g_;
  const Candidate& c_;
  Rules rules_;
  std::vector<int> step_of_, last_of_;
  std::array<int, 2> content_ = {-1, -1};
  std::array<std::int64_t, 2> largest_{};
  int latest_ = -1;
};

}  // namespace

std::string fault_of(const Graph& graph, const Candidate& candidate, const Rules& rules) {
  return Replay(graph, candidate, rules).fault();
}

}  // namespace dse::plan::branch
