#include <algorithm>

#include "base/units.h"
#include "models/hw/shells/npu/units.h"

namespace dse::hw::npu {

using namespace ethos_u;

namespace {

constexpr int kKernelsUnderWay = 2;  // the second one's registers are set while the first runs
constexpr std::int64_t kMostStepsOfStream = 8 * kMostSteps;
constexpr std::size_t kPrefetchWords = 2 * kFetchWords;

}  // namespace

// --- central control

CentralControl::CentralControl(const sc_core::sc_module_name& name, NpuState& state)
    : NpuBlock(name, state, Part::control), port("commands", state) {
  port.done = [this] {
    fetched_ = asked_;
    fetch();
    look();
  };
}

void CentralControl::reset() {
  port.arm();
  registers_ = {};
  next_ = fetched_ = asked_ = 0;
}

/// Asks for the next words while there is room for them.
void CentralControl::fetch() {
  if (port.busy() || asked_ >= state_.words.size() || asked_ - next_ >= kPrefetchWords) return;
  const std::size_t count = std::min(kFetchWords, state_.words.size() - asked_);
  asked_ += count;
  const Traffic words{state_.npu.constants(), ceil_div(static_cast<std::int64_t>(count) * 4, state_.pmu.beat_bytes)};
  state_.count(nullptr, words, false);
  port.begin(now(), Mover::commands, words, Traffic{}, Traffic{});
}

void CentralControl::fail(const std::string& why) {
  state_.error = why;
  state_.stopped = true;
  state_.ends();
}

void CentralControl::step() {
  fetch();
  if (!state_.stopped) {
    const auto c = command_at(state_.words, next_);
    if (next_ >= state_.words.size()) return fail("the command stream ends without STOP");
    if (!c) return fail("no command: " + std::to_string(state_.words[next_]));
    if (next_ + static_cast<std::size_t>(c->words) > fetched_) return waits(Wait::commands);
    if (!accept(*c)) return;
    next_ += static_cast<std::size_t>(c->words);
    if (!state_.stopped) return work(now() + c->words * state_.cycle);
  }
  if (state_.end) return;
  if (!state_.error.empty() ||
      (state_.kernels_done == static_cast<int>(state_.kernels.size()) && state_.copies_done == state_.copies_asked)) {
    state_.ends();
    return;
  }
  waits(state_.copies_done < state_.copies_asked ? Wait::dma : Wait::kernels);
}

/// False: it has to wait, and the command comes again.
bool CentralControl::accept(const StreamCommand& c) {
  if (c.is_register) {
    registers_[c.target] = c.value;
    return true;
  }
  const int kernels = static_cast<int>(state_.kernels.size()) - state_.kernels_done,
            copies = state_.copies_asked - state_.copies_done;
  switch (c.op) {
    case OpCode::stop:
      state_.stopped = true;
      return true;
    case OpCode::kernel_wait:
      if (kernels > static_cast<int>(c.value)) return waits(Wait::kernels), false;
      return true;
    case OpCode::dma_wait:
      if (copies > static_cast<int>(c.value)) return waits(Wait::dma), false;
      return true;
    case OpCode::dma:
      if (copies >= state_.npu.acc().outstanding_dma) return waits(Wait::dma), false;
      if (registers_[Register::dma_from_region] > 3 || registers_[Register::dma_to_region] > 3 ||
          registers_[Register::dma_length] == 0)
        return fail("a copy of nothing, or from no region"), true;
      ++state_.copies_asked;
      ask_copy(registers_, now());
      return true;
    default:
      break;
  }
  if (kernels >= kKernelsUnderWay) return waits(Wait::kernels), false;
  BlockConfig block;
  std::string why;
  const auto job = job_of(state_.npu, registers_, block, why);
  if (!job) return fail("kernel " + std::to_string(state_.kernels.size()) + ": " + why), true;
  if (static_cast<std::int64_t>(state_.steps.size()) + step_count(*job, block) > kMostStepsOfStream)
    return fail("kernel " + std::to_string(state_.kernels.size()) + ": the stream takes too many steps"), true;
  Kernel k;
  k.walk = walk(state_.npu, registers_, *job, block);
  k.registers = registers_;
  k.first_step = static_cast<int>(state_.steps.size()), k.first_block = static_cast<int>(state_.blocks.size());
  k.time.number = static_cast<int>(c.value), k.time.begin = -1;
  const int number = static_cast<int>(state_.kernels.size());
  int made = 0;
  for (int s = 0; s < static_cast<int>(k.walk.steps.size()); ++s) {
    state_.steps.push_back({number, s, k.first_block + made});
    if (k.walk.steps[static_cast<std::size_t>(s)].last) state_.blocks.emplace_back(number, made++);
  }
  state_.kernels.push_back(std::move(k));
  state_.changed();
  return true;
}

// --- DMA

Dma::Dma(const sc_core::sc_module_name& name, NpuState& state)
    : NpuBlock(name, state, Part::dma), port("copies", state) {
  port.done = [this] {
    end_moving();
    const Registers& r = copies_[next_ - 1].first;
    if (state_.bytes && !state_.bytes->copy(r)) state_.error = "a copy leaves its region", state_.stopped = true;
    ++state_.copies_done;
    state_.changed();
    look();
  };
}

void Dma::reset() {
  port.arm();
  copies_.clear();
  next_ = 0;
}

void Dma::ask(const Registers& r, Tick at) {
  copies_.emplace_back(r, at);
  look();
}

void Dma::step() {
  if (next_ == copies_.size()) return waits(state_.stopped ? Wait::done : Wait::commands);
  const auto& [r, asked] = copies_[next_++];
  const std::int64_t bytes = r[Register::dma_length], beats = ceil_div(bytes, state_.pmu.beat_bytes);
  const Traffic from{area_of(state_.npu, static_cast<Region>(r[Register::dma_from_region])), beats};
  const Traffic to{area_of(state_.npu, static_cast<Region>(r[Register::dma_to_region])), beats};
  begin_moving();
  state_.count(nullptr, from, false);
  if (to.area != Area::shram) state_.count(nullptr, to, true);
  port.begin(asked, Mover::copies, from, Traffic{}, to);
}

}  // namespace dse::hw::npu
