#include "tests/plan/check/clone.h"

namespace dse::test {
namespace {

template <class T>
bool copy_as(program::TaskTemplate& t) {
  const auto* from = dynamic_cast<const T*>(t.payload.get());
  if (from) t.payload = std::make_shared<T>(*from);
  return from != nullptr;
}

}  // namespace

program::Program clone(const program::Program& p) {
  program::Program q;
  q.network = p.network;
  q.device = p.device;
  q.plan_id = p.plan_id;
  q.arenas = p.arenas;
  q.constants_arena = p.constants_arena;
  q.constants_size = p.constants_size;
  q.queues = p.queues;
  q.operators = p.operators;
  q.templates = p.templates;
  q.code = p.code;
  q.sections = p.sections;
  q.buffers = p.buffers;
  q.preloads = p.preloads;
  q.inputs = p.inputs;
  q.outputs = p.outputs;
  q.quiescent = p.quiescent;
  for (auto& t : q.templates) {
    if (copy_as<program::CallPayload>(t)) {
      auto* call = mutable_payload<program::CallPayload>(t);
      if (call->parameters) call->parameters = &q.operators.at(static_cast<std::size_t>(call->op));
    } else if (!copy_as<program::CopyPayload>(t) && !copy_as<program::StreamPayload>(t)) {
      copy_as<program::WaitPayload>(t);
    }
  }
  return q;
}

}  // namespace dse::test
