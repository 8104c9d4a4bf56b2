// Findings as they are collected, and the parts of check() that need no task order.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "plan/check/finding.h"
#include "program/program.h"

namespace dse::plan::check_detail {

class Findings {
 public:
  /// `key` tells findings apart that deserve a line each: a later one with the same kind and key is dropped.
  void add(FindingKind kind, const std::string& key, const std::string& message) {
    if (list_.size() < kMost && seen_.insert(std::to_string(static_cast<int>(kind)) + key).second)
      list_.push_back({kind, message});
  }
  bool empty() const { return list_.empty(); }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  static constexpr std::size_t kMost = 64;
  std::vector<Finding> list_;
  std::set<std::string> seen_;
};

/// "[0x40, 0x80) of l1"
std::string range_text(const program::Program& p, int arena, std::int64_t begin, std::int64_t end);

/// Memory of each arena, by name; -1 = the device has none of that name.
std::vector<int> memories_of(const program::Program& p, const hw::Device& d);

/// Whether a preload puts there what a state has before the first run: bytes that tasks may write, unlike resident
/// weights.
bool first_values(const program::Preload& l, const program::Buffer& b);

/// Sections, queues, arenas, ports, preloads, buffers, operators. @returns false when tasks cannot be looked at.
bool check_structure(const program::Program& p, const hw::Device& d, Findings& out);
/// Arenas fit their memories; buffers fit their arenas and are disjoint while they live.
void check_memory(const program::Program& p, const hw::Device& d, Findings& out);

/// Group of buffers that hand the same bytes to each other; an entry per buffer, the smallest index of the group.
std::vector<int> buffer_groups(const program::Program& p);

/// Whether the engine of a task's queue can do it and reaches its memories; findings are named after `who`.
class ReachCheck {
 public:
  ReachCheck(const program::Program& p, const hw::Device& d) : program_(p), device_(d), memories_(memories_of(p, d)) {}
  void operator()(const program::TaskInstance& t, const std::string& who, Findings& out) const;

 private:
  const program::Program& program_;
  const hw::Device& device_;
  std::vector<int> memories_;
};

}  // namespace dse::plan::check_detail
