#include "models/hw/shells/engine_shell.h"

#include <algorithm>

#include "base/diagnostics.h"

namespace dse::hw {

EngineShell::EngineShell(const sc_core::sc_module_name& name, int queue, RunState& state,
                         std::array<EngineShell*, kMaxQueues>& peers)
    : sc_core::sc_module(name),
      commands("commands"),
      memories("memories"),
      queue_(queue),
      state_(state),
      peers_(peers) {
  commands.register_nb_transport_fw(this, &EngineShell::accept);
  memories.register_nb_transport_bw(this, &EngineShell::transferred);
  SC_METHOD(act);
  sensitive << wake_;
  dont_initialize();
}

void EngineShell::arm(int depth, TaskBytes* bytes) {
  wake_.cancel();
  depth_ = std::clamp(depth, 1, kMaxDepth);
  bytes_ = bytes;
  first_ = count_ = last_kernel_ = 0;
  last_section_ = -1;
  refused_ = false;
  running_ = nullptr;
  finish_at_ = stream_at_ = kNever;
}

tlm::tlm_sync_enum EngineShell::accept(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  auto* command = payload.get_extension<Command>();
  int slot = first_ + count_;
  if (slot > kMaxDepth) slot -= kMaxDepth + 1;
  fifo_[static_cast<std::size_t>(slot)] = command;
  ++count_;
  if (!running_) try_start();
  if (count_ >= depth_) {
    refused_ = true;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void EngineShell::act() {
  state_.enter();
  if (running_ && stream_at_ != kNever) {
    if (stream_at_ > state_.now()) return wake_.notify(to_time(stream_at_ - state_.now()));
    stream_at_ = kNever;
    streams_->run(*running_, [this](Tick at) { end_at(at); });
  } else if (running_ && finish_at_ <= state_.now()) {
    finish();
  } else if (!running_) {
    try_start();
  }
}

void EngineShell::try_start() {
  if (count_ == 0 || state_.stopped) return;
  Command& command = *fifo_[static_cast<std::size_t>(first_)];
  const program::TaskInstance& t = command.instance;
  for (int i = 0; i < t.after_count; ++i) {
    const program::Completion& c = t.after[static_cast<std::size_t>(i)];
    if (state_.scoreboard.completed(c.queue) < c.count) {
      state_.scoreboard.await(c.queue, queue_);
      return;
    }
  }
  const Tick now = state_.now(), at = std::max(now, command.issued);
  Tick extra = 0;
  if (bytes_) {  // bytes are read at the very tick; timing alone needs no event for a start that is known
    if (at > now) {
      wake_.notify(to_time(at - now));
      return;
    }
    extra = bytes_->start(command, *this);
    if (state_.stopped) return;
  }
  if (++first_ > kMaxDepth) first_ = 0;
  --count_;
  running_ = &command;
  begin(command, at, extra);
  if (refused_) {
    refused_ = false;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = to_time(at - now);
    commands->nb_transport_bw(command.payload, phase, delay);
  }
}

void EngineShell::begin(Command& command, Tick at, Tick extra) {
  const program::TaskCost& cost = command.cost;
  Tick fixed = cost.fixed + extra;
  TaskEntry& entry = state_.log.tasks[static_cast<std::size_t>(command.entry)];
  if (cost.kernel) {
    // A layer's first call pays it too, whatever ran before: so a layer takes as long alone as in its network.
    if (cost.kernel != last_kernel_ || entry.section != last_section_) fixed += cost.switch_cost;
    last_kernel_ = cost.kernel;
    last_section_ = entry.section;
  }
  entry.ready = entry.issued;
  const program::TaskInstance& t = command.instance;
  for (int i = 0; i < t.after_count; ++i) {
    const program::Completion& c = t.after[static_cast<std::size_t>(i)];
    const auto& earlier = state_.log.of_queue[static_cast<std::size_t>(c.queue)];
    const std::int32_t by =
        earlier[static_cast<std::size_t>(c.count - 1 + state_.queue_origin[static_cast<std::size_t>(c.queue)])];
    const Tick end = state_.log.tasks[static_cast<std::size_t>(by)].end;
    if (end > entry.ready) entry.ready = end, entry.ready_by = by;
  }
  entry.start = at;
  entry.fixed = fixed;
  entry.busy = cost.compute > 0 ? cost.compute : cost.busy;  // the rest is what it waits for memories
  if (t.task->kind == &program::stream_kind()) {
    ensure(streams_ != nullptr, "a stream on an engine that is no NPU");
    stream_at_ = at + fixed;
    return wake_.notify(to_time(stream_at_ - state_.now()));
  }
  transfer_.cost = &cost;
  transfer_.not_before = at + fixed + cost.busy;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_time(at + fixed - state_.now());
  memories->nb_transport_fw(transfer_.payload, phase, delay);
}

tlm::tlm_sync_enum EngineShell::transferred(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  end_at(state_.now());
  return tlm::TLM_COMPLETED;
}

void EngineShell::end_at(Tick at) {
  finish_at_ = at;
  if (bytes_ && !state_.stopped) finish_at_ += bytes_->finish(*running_, *this);
  if (finish_at_ > state_.now())
    wake_.notify(to_time(finish_at_ - state_.now()));
  else
    finish();
}

void EngineShell::finish() {
  Command& command = *running_;
  state_.log.tasks[static_cast<std::size_t>(command.entry)].end = finish_at_;
  running_ = nullptr;
  finish_at_ = kNever;
  const std::uint32_t waiting = state_.scoreboard.complete(queue_);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  commands->nb_transport_bw(command.payload, phase, delay);  // control may reuse the command from here on
  try_start();
  for (std::uint32_t woken = waiting; woken; woken &= woken - 1)
    peers_[static_cast<std::size_t>(__builtin_ctz(woken))]->wake();
}

tlm::tlm_response_status EngineShell::transport(tlm::tlm_command command, int memory, std::int64_t address,
                                                unsigned char* data, std::int64_t length, Tick& delay) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(bus_address(memory, address));
  payload.set_data_ptr(data);
  payload.set_data_length(static_cast<unsigned>(length));
  payload.set_streaming_width(static_cast<unsigned>(length));
  sc_core::sc_time annotated = sc_core::SC_ZERO_TIME;
  memories->b_transport(payload, annotated);
  delay += static_cast<Tick>(annotated.value());
  return payload.get_response_status();
}

}  // namespace dse::hw
