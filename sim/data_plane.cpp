#include "sim/data_plane.h"

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"

namespace dse::sim {

using hw::Command;
using hw::EngineShell;
using hw::Tick;
using program::Job;
using program::Program;

namespace {
constexpr std::uint8_t kPoison = 0xCD;
const program::ArenaBinding& binding(const Job& job, int arena) { return job.binding[static_cast<std::size_t>(arena)]; }

/// Bytes of a memory that a run keeps: as far as the programs' arenas reach, and a page, so that a kernel that looks
/// beyond its arena meets poison. A run of kilobytes must not fill a device's megabytes.
std::size_t kept(const hw::Device& device, std::size_t memory, const std::vector<Job>& jobs) {
  constexpr std::int64_t page = 4096;
  std::int64_t end = 0;
  for (const Job& job : jobs)
    for (std::size_t a = 0; a < job.binding.size(); ++a)
      if (job.binding[a].memory == static_cast<int>(memory))
        end = std::max(end, job.binding[a].base + job.program->arenas[a].size);
  return static_cast<std::size_t>(std::min(end + page, device.memories[memory].size));
}
}  // namespace

std::string describe(const Program& program, const program::TaskInstance& t, int program_queue) {
  const auto section = static_cast<std::size_t>(t.section);
  std::string out = std::string(t.task->kind->name()) + " #" + std::to_string(t.task - program.templates.data());
  out += ", tile " + std::to_string(t.tile) + " of " +
         (section < program.sections.size() ? program.sections[section].name : "?");
  if (program_queue >= 0) out += " on " + program.queues[static_cast<std::size_t>(program_queue)].name;
  return out;
}

std::string DataPlane::name(const Command& c) const {
  return describe(*(*jobs_)[static_cast<std::size_t>(c.job)].program, c.instance, c.instance.task->queue);
}
std::string DataPlane::place(int memory, std::int64_t address) const {
  return device_->memories[static_cast<std::size_t>(memory)].name + " address " + std::to_string(address);
}

void DataPlane::fail(Failure::Kind kind, std::string what) {
  if (!result_->failure) result_->failure = Failure{kind, std::move(what)};
  topology_.state.stopped = true;
  dirty_ = true;
}

std::uint8_t* DataPlane::base(int arena) const {
  const auto& b = binding(*executing_, arena);
  return const_cast<std::uint8_t*>(image_[static_cast<std::size_t>(b.memory)].data()) + b.base;
}

void DataPlane::load(int memory, std::int64_t address, const std::uint8_t* bytes, std::int64_t length) {
  auto& w = written_[static_cast<std::size_t>(memory)];
  ensure(address >= 0 && address + length <= static_cast<std::int64_t>(w.size()),
         device_->memories[static_cast<std::size_t>(memory)].name +
             " or its arena is too small for what must lie there before the first task");
  if (length == 0) return;
  Tick ignored = 0;
  topology_.engines[0]->transport(tlm::TLM_WRITE_COMMAND, memory, address, const_cast<std::uint8_t*>(bytes), length,
                                  ignored);
  std::fill_n(w.begin() + address, length, std::uint8_t{1});
}

void DataPlane::arm(const hw::Device& device, const std::vector<Job>& jobs, const std::vector<RunData>& data,
                    RunResult& result) {
  device_ = &device, jobs_ = &jobs, data_ = &data, result_ = &result;
  ensure(data.size() == jobs.size(), "a data run needs constants and inputs for every job");
  for (std::size_t m = 0; m < device.memories.size(); ++m) {
    const auto size = kept(device, m, jobs);
    if (topology_.memories[m]) topology_.memories[m]->resize(static_cast<std::int64_t>(size));
    if (dirty_ || image_[m].size() != size) image_[m].assign(size, kPoison);
    written_[m].assign(size, 0);
  }
  dirty_ = false;
  for (InFlight& f : flight_) f.command = nullptr;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Program& p = *jobs[j].program;
    const auto constants = data[j].constants;
    ensure(static_cast<std::int64_t>(constants.size()) >= p.constants_size,
           "constants image is shorter than the program's");
    if (p.constants_arena >= 0) {
      const auto& b = binding(jobs[j], p.constants_arena);
      load(b.memory, b.base, constants.data(), p.constants_size);
    }
    for (const program::Preload& l : p.preloads) {
      ensure(l.image_offset + l.size <= p.constants_size, "preload beyond the constants image");
      const auto& b = binding(jobs[j], l.arena);
      load(b.memory, b.base + l.offset, constants.data() + l.image_offset, l.size);
    }
  }
}

void DataPlane::write_inputs(std::size_t j) {
  const Job& job = (*jobs_)[j];
  const auto& inputs = (*data_)[j].inputs;
  ensure(inputs.size() == job.program->inputs.size(), "a data run needs every network input");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const program::Port& port = job.program->inputs[i];
    ensure(static_cast<std::int64_t>(inputs[i].size()) == port.size, "input " + port.name + " has another size");
    const auto& b = binding(job, port.arena);
    load(b.memory, b.base + port.offset, inputs[i].data(), port.size);
  }
}

void DataPlane::read_outputs(std::size_t j) {
  const Job& job = (*jobs_)[j];
  for (const program::Port& port : job.program->outputs) {
    const auto& b = binding(job, port.arena);
    const Run run{b.memory, b.base + port.offset, b.base + port.offset + port.size};
    const auto& w = written_[static_cast<std::size_t>(run.memory)];
    if (run.begin < 0 || run.end > static_cast<std::int64_t>(w.size()))
      return fail(Failure::Kind::out_of_range, "output " + port.name + " lies outside " + place(run.memory, run.end));
    const auto hole = std::find(w.begin() + run.begin, w.begin() + run.end, 0);
    if (hole != w.begin() + run.end)
      return fail(Failure::Kind::uninitialised_read,
                  "output " + port.name + " was never written at " + place(run.memory, hole - w.begin()));
    auto& bytes = result_->outputs.emplace_back(static_cast<std::size_t>(port.size));
    Tick ignored = 0;
    if (!transfer(*topology_.engines[0], tlm::TLM_READ_COMMAND, run, bytes.data(), ignored)) return;
  }
}

bool DataPlane::transfer(EngineShell& engine, tlm::tlm_command command, const Run& run, std::uint8_t* bytes,
                         Tick& delay) {
  if (run.begin == run.end) return true;
  const auto status = engine.transport(command, run.memory, run.begin, bytes, run.end - run.begin, delay);
  if (status == tlm::TLM_OK_RESPONSE) return true;
  fail(Failure::Kind::out_of_range, place(run.memory, run.begin) + " did not answer (TLM response " +
                                        std::to_string(static_cast<int>(status)) + ")");
  return false;
}

/// Addresses of everything the task touches; false when some lie outside their arena or memory.
bool DataPlane::locate(const Command& c, InFlight& task) {
  task.reads.clear(), task.writes.clear();
  const Job& job = (*jobs_)[static_cast<std::size_t>(c.job)];
  accesses_.clear();
  try {
    c.instance.task->kind->footprint(c.instance, accesses_);
  } catch (const std::exception& e) {  // must not unwind through the simulation kernel
    fail(Failure::Kind::execution, name(c) + ": " + e.what());
    return false;
  }
  for (const program::Access& a : accesses_) {
    if (a.arena < 0 || a.arena >= static_cast<int>(job.binding.size())) {
      fail(Failure::Kind::out_of_range,
           name(c) + (a.write ? " writes" : " reads") + " an arena that the program does not have");
      return false;
    }
    const auto& b = binding(job, a.arena);
    const program::Arena& arena = job.program->arenas[static_cast<std::size_t>(a.arena)];
    const Run run{b.memory, b.base + a.begin, b.base + a.end};
    if (a.begin < 0 || a.end > arena.size || run.begin < 0 ||
        run.end > device_->memories[static_cast<std::size_t>(b.memory)].size) {
      fail(Failure::Kind::out_of_range, name(c) + (a.write ? " writes" : " reads") + " offsets " +
                                            std::to_string(a.begin) + " to " + std::to_string(a.end) + " of arena " +
                                            arena.name + " (" + std::to_string(arena.size) + " bytes), " +
                                            place(b.memory, run.begin));
      return false;
    }
    (a.write ? task.writes : task.reads).push_back(run);
  }
  const auto by_address = [](const Run& x, const Run& y) {
    return x.memory != y.memory ? x.memory < y.memory : x.begin < y.begin;
  };
  std::sort(task.reads.begin(), task.reads.end(), by_address);
  std::sort(task.writes.begin(), task.writes.end(), by_address);
  return true;
}

/// Conflicts with a task in flight: bytes of both, one of which writes.
bool DataPlane::clashes(const InFlight& task) {
  const auto meet = [](const std::vector<Run>& a, const std::vector<Run>& b) -> const Run* {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i].memory == b[j].memory && a[i].begin < b[j].end && b[j].begin < a[i].end) return &a[i];
      const bool a_first = a[i].memory != b[j].memory ? a[i].memory < b[j].memory : a[i].end < b[j].end;
      a_first ? ++i : ++j;
    }
    return nullptr;
  };
  for (const InFlight& other : flight_) {
    if (!other.command || &other == &task) continue;
    const Run* at = meet(task.writes, other.writes);
    if (!at) at = meet(task.writes, other.reads);
    if (!at) at = meet(task.reads, other.writes);
    if (!at) continue;
    fail(Failure::Kind::conflict, name(*task.command) + " and " + name(*other.command) +
                                      " are not ordered but both use " + place(at->memory, at->begin));
    return true;
  }
  return false;
}

Tick DataPlane::start(const Command& c, EngineShell& engine) {
  InFlight& task = flight_[static_cast<std::size_t>(engine.queue())];
  Tick delay = 0, ignored = 0;
  if (!locate(c, task)) return 0;
  task.command = &c;
  if (clashes(task)) return 0;
  std::size_t total = 0;
  for (const Run& r : task.reads) total += static_cast<std::size_t>(r.end - r.begin);
  task.sources.resize(total);
  std::uint8_t* to = task.sources.data();
  for (const Run& r : task.reads) {
    const auto& w = written_[static_cast<std::size_t>(r.memory)];
    if (const void* hole = std::memchr(w.data() + r.begin, 0, static_cast<std::size_t>(r.end - r.begin))) {
      fail(Failure::Kind::uninitialised_read, name(c) + " reads a byte that was never written, " +
                                                  place(r.memory, static_cast<const std::uint8_t*>(hole) - w.data()));
      return 0;
    }
    if (!transfer(engine, tlm::TLM_READ_COMMAND, r, to, delay)) return 0;
    to += r.end - r.begin;
  }
  for (const Run& r : task.writes) {
    scratch_.assign(static_cast<std::size_t>(r.end - r.begin), kPoison);
    if (!transfer(engine, tlm::TLM_WRITE_COMMAND, r, scratch_.data(), ignored)) return 0;
    std::memset(written_[static_cast<std::size_t>(r.memory)].data() + r.begin, 0,
                static_cast<std::size_t>(r.end - r.begin));
  }
  return delay;
}

Tick DataPlane::finish(const Command& c, EngineShell& engine) {
  InFlight& task = flight_[static_cast<std::size_t>(engine.queue())];
  Tick delay = 0, ignored = 0;
  const std::uint8_t* source = task.sources.data();
  const auto own = [&](int memory, std::int64_t address) {  // written by the task itself (in place)
    const auto after = std::upper_bound(
        task.writes.begin(), task.writes.end(), address,
        [&](std::int64_t v, const Run& r) { return r.memory != memory ? memory < r.memory : v < r.begin; });
    return after != task.writes.begin() && (after - 1)->memory == memory && address < (after - 1)->end;
  };
  for (const Run& r : task.reads) {
    const auto length = static_cast<std::size_t>(r.end - r.begin);
    scratch_.resize(length);
    if (!transfer(engine, tlm::TLM_READ_COMMAND, r, scratch_.data(), ignored)) return 0;
    if (std::memcmp(scratch_.data(), source, length) != 0)
      for (std::size_t i = 0; i < length; ++i)
        if (scratch_[i] != source[i] && !own(r.memory, r.begin + static_cast<std::int64_t>(i))) {
          fail(Failure::Kind::conflict, name(c) + ": its source changed while it ran, " +
                                            place(r.memory, r.begin + static_cast<std::int64_t>(i)) +
                                            " (changed by the memory)");
          return 0;
        }
    std::memcpy(image_[static_cast<std::size_t>(r.memory)].data() + r.begin, source, length);
    source += length;
  }
  executing_ = &(*jobs_)[static_cast<std::size_t>(c.job)];
  std::string reason = "an operand is absent or its kind is unknown";
  bool executed = false;
  try {
    executed = c.instance.task->kind->execute(c.instance, *this);
  } catch (const std::exception& e) {
    reason = e.what();
  }
  if (!executed) {
    fail(Failure::Kind::execution, name(c) + " cannot be executed: " + reason);
    return 0;
  }
  for (const Run& r : task.writes) {
    auto* bytes = image_[static_cast<std::size_t>(r.memory)].data() + r.begin;
    if (!transfer(engine, tlm::TLM_WRITE_COMMAND, r, bytes, delay)) return 0;
    std::memset(written_[static_cast<std::size_t>(r.memory)].data() + r.begin, 1,
                static_cast<std::size_t>(r.end - r.begin));
  }
  for (const auto* runs : {&task.reads, &task.writes})
    for (const Run& r : *runs)
      std::memset(image_[static_cast<std::size_t>(r.memory)].data() + r.begin, kPoison,
                  static_cast<std::size_t>(r.end - r.begin));
  task.command = nullptr;
  return delay;
}

}  // namespace dse::sim
