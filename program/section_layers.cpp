#include "program/section_layers.h"

#include <algorithm>

#include "base/diagnostics.h"

namespace dse::program {

int SectionLayers::own_layer(int section) const {
  const auto s = static_cast<std::size_t>(section);
  return s < program_->sections.size() ? program_->sections[s].operator_index : 0;
}

SectionLayers::SectionLayers(const Program& program) : program_(&program) {
  const int sections = std::max(1, static_cast<int>(program.sections.size()));
  std::vector<std::vector<int>> layers(static_cast<std::size_t>(sections));
  int section = 0;
  for (const auto& i : program.code) {
    if (i.op == Instruction::Op::section) section = i.arg;
    if (i.op != Instruction::Op::task) continue;
    const auto& task = program.templates[static_cast<std::size_t>(i.arg)];
    if (task.queue == kControl) continue;
    auto& list = layers[static_cast<std::size_t>(section)];
    if (const auto* stream = stream_of(task)) list.insert(list.end(), stream->layers.begin(), stream->layers.end());
    const int layer = task.layer < 0 ? own_layer(section) : task.layer;
    if (list.empty() || list.back() != layer) list.push_back(layer);
  }
  for (section = 0; section < sections; ++section) {
    auto& list = layers[static_cast<std::size_t>(section)];
    if (list.empty()) list.push_back(own_layer(section));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    first_.push_back(static_cast<int>(rows_.size()));
    for (const int layer : list) rows_.push_back({section, layer});
  }
  first_.push_back(static_cast<int>(rows_.size()));
}

int SectionLayers::search(int section, const TaskTemplate& task) const {
  return row_of(section, task.layer < 0 ? own_layer(section) : task.layer);
}

int SectionLayers::row_of(int section, int layer) const {
  const auto begin = rows_.begin() + first_row(section), end = rows_.begin() + last_row(section) + 1;
  const auto at = std::lower_bound(begin, end, layer, [](const SectionLayer& r, int l) { return r.layer < l; });
  ensure(at != end && at->layer == layer, "a task that does not belong to its section");
  return static_cast<int>(at - rows_.begin());
}

}  // namespace dse::program
