#include "plan/layer/prefetch.h"

#include <algorithm>

#include "plan/layer/layer_views.h"
#include "program/kinds.h"

namespace dse::plan {

std::string why_no_prefetch(const LayerGeometry& g, const hw::Device& device) {
  if (g.phased) return "a layer by phases fetches its own filters";
  if (g.form == WeightForm::none) return "it has none";
  if (g.weights_from != device.constants) return "they are resident";
  if (g.weights_in_place) return "they are read where they are";
  if (g.steps > 1) return "they come in steps over input channels";
  if (g.stage_memory >= 0 ? g.staging == Staging::sets : g.sets > 1) return "they come set by set";
  if (device.engines[device.copy_engine(g.weights_from, prefetch_of(g).to)].computes())
    return "the engine that would fetch them computes";
  return {};
}

Prefetch prefetch_of(const LayerGeometry& g) {
  return {g.weights_from, g.stage_memory >= 0 ? g.stage_memory : g.near, g.weight_bytes};
}

Prefetch possible_prefetch(const LayerContext& context) {
  LayerChoice choice;
  choice.output_memory = context.device->io;
  choice.prefetch = true;
  const auto g = layer_geometry(context, choice, false);  // tiles of another size may have cycles where this has none
  return g.prefetched ? prefetch_of(g) : Prefetch{};
}

const char* prefetch_buffer(const LayerGeometry& g) { return g.stage_memory >= 0 ? "stage" : "weights"; }

void insert_prefetch(program::Program& program, std::size_t begin, const Prefetch& prefetch, const hw::Device& device) {
  using Op = program::Instruction::Op;
  auto payload = std::make_shared<program::CopyPayload>();
  payload->from = LayerViews::flat(prefetch.from, prefetch.from_offset);
  payload->to = LayerViews::flat(prefetch.to, prefetch.to_offset);
  payload->y = payload->x = program::Range::whole(1);
  payload->c = program::Range::whole(static_cast<std::int32_t>(prefetch.bytes));
  program::TaskTemplate task;
  task.kind = &program::copy_kind();
  task.queue = queue_of(device, device.copy_engine(prefetch.from, prefetch.to), 0);
  task.payload = std::move(payload);

  auto at = program.code.size();  // the first loop or call; then, where no loop is open, behind the queue's last task
  int depth = 0;
  bool used = false;
  for (std::size_t i = begin; i < program.code.size(); ++i) {
    const auto& in = program.code[i];
    const auto* t = in.op == Op::task ? &program.templates[static_cast<std::size_t>(in.arg)] : nullptr;
    if (in.op == Op::loop || (t && t->kind == &program::call_kind())) at = std::min(at, i);
    depth += in.op == Op::loop ? 1 : in.op == Op::end ? -1 : 0;
    used = used || (t && t->queue == task.queue);
    if (depth > 0 || !used) continue;
    used = false;
    if (i >= at) at = i + 1;
  }
  const program::Instruction copy{Op::task, static_cast<std::int32_t>(program.templates.size())};
  program.code.insert(program.code.begin() + static_cast<std::ptrdiff_t>(at), copy);
  program.templates.push_back(std::move(task));
}

}  // namespace dse::plan
