#include "methods/branch/model.h"

#include <algorithm>

namespace dse::plan::branch {

const char* name_of(Model model) {
  switch (model) {
    case Model::named_buffers:
      return "named-buffers";
    case Model::named_buffers_free:
      return "named-buffers-free";
    case Model::direct_to_scratch:
      return "direct-to-scratch";
    case Model::liveness:
      return "liveness";
  }
  return "";
}

std::optional<Model> model_named(std::string_view name) {
  for (const auto model : models)
    if (name == name_of(model)) return model;
  return std::nullopt;
}

const char* name_of(Objective objective) {
  return objective == Objective::operational ? "operational" : "with-scratch";
}

std::int64_t Candidate::scratch_bytes() const {
  std::int64_t sum = 0;
  for (const auto& buffer : scratch) sum += buffer.bytes;
  return sum;
}

std::int64_t Candidate::cost(const Rules& rules) const {
  return rules.objective == Objective::operational && rules.model != Model::liveness ? operational_bytes() : total;
}

namespace {

/// Bytes alive at every step; `copies`: one per waiting reader.
std::vector<std::int64_t> alive(const Graph& graph, const std::vector<int>& order, bool copies) {
  std::vector<std::size_t> waiting(graph.nodes.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i] = graph.nodes[i].readers.size();
  std::vector<std::int64_t> out;
  std::int64_t now = 0;
  for (int n : order) {
    const auto& node = graph.nodes[static_cast<std::size_t>(n)];
    const auto readers = static_cast<std::int64_t>(node.readers.size());
    const std::int64_t times = copies ? std::max<std::int64_t>(readers, 1) : 1;
    now += times * node.bytes;
    out.push_back(now);
    for (int input : node.inputs) {
      const auto& read = graph.nodes[static_cast<std::size_t>(input)];
      const bool last = --waiting[static_cast<std::size_t>(input)] == 0;
      if (last ? !read.kept : copies) now -= read.bytes;
    }
    if (readers == 0 && !node.kept) now -= node.bytes;
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> live_bytes(const Graph& graph, const std::vector<int>& order) {
  return alive(graph, order, false);
}

std::int64_t peak_of_edge_copies(const Graph& graph, const std::vector<int>& order) {
  std::int64_t peak = 0;
  for (const auto bytes : alive(graph, order, true)) peak = std::max(peak, bytes);
  return peak;
}

}  // namespace dse::plan::branch
