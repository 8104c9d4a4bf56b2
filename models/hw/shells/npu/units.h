// The blocks of an Ethos-U as SystemC modules: central control, the DMA controller's four streams, weight decoder, MAC
// unit, output unit. Each takes its times from models/hw/ethos_u and stalls because a named other block makes it wait.
#pragma once
#include "models/hw/shells/npu/npu_block.h"

namespace dse::hw::npu {

/// Fetches the command stream, sets registers, hands out kernels and copies, waits where the stream says so.
class CentralControl : public NpuBlock {
 public:
  MemoryPort port;
  std::function<void(const ethos_u::Registers&, Tick)> ask_copy;
  CentralControl(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override {}
  void reset() override;
  void fetch();
  bool accept(const ethos_u::StreamCommand& c);
  void fail(const std::string& why);

  ethos_u::Registers registers_;
  std::size_t next_ = 0, fetched_ = 0, asked_ = 0;  // words
};

/// Copies between memories, one after the other.
class Dma : public NpuBlock {
 public:
  MemoryPort port;
  Dma(const sc_core::sc_module_name& name, NpuState& state);
  void ask(const ethos_u::Registers& r, Tick at);

 private:
  void step() override;
  void finish() override {}
  void reset() override;

  std::vector<std::pair<ethos_u::Registers, Tick>> copies_;
  std::size_t next_ = 0;
};

/// Brings input blocks, two of which are held.
class InputReader : public NpuBlock {
 public:
  MemoryPort port;
  InputReader(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override {}
  void reset() override;
  bool blocked_by_kernel_before(const StepRef& s) const;
  int set_up_ = -1;  // kernel that the blocks are set up for
};

/// Reads the weight stream and decodes it, one step ahead of the MAC unit.
class WeightDecoder : public NpuBlock {
 public:
  MemoryPort port;
  WeightDecoder(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override;
  void reset() override;
  Tick begun_ = 0;
};

class MacUnit : public NpuBlock {
 public:
  MacUnit(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override;
  void reset() override;
  bool multiplied_ = false;  // the step's products are done, its last weights are not
};

/// Scales, activates, and computes element by element.
class OutputUnit : public NpuBlock {
 public:
  OutputUnit(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override;
  void reset() override {}
};

/// Writes output blocks.
class OutputWriter : public NpuBlock {
 public:
  MemoryPort port;
  OutputWriter(const sc_core::sc_module_name& name, NpuState& state);

 private:
  void step() override;
  void finish() override {}
  void reset() override;
};

}  // namespace dse::hw::npu
