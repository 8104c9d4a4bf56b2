#include "models/nn/tflite/offline_plan.h"

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"
#include "models/nn/tflite/reading.h"

namespace dse::nn {

namespace fb = tflite;

namespace {

constexpr const char* kEntry = "OfflineMemoryAllocation";
constexpr std::size_t kHeader = 3;  // words before the offsets: version, subgraphs, how many offsets

std::size_t at_number(int i) { return static_cast<std::size_t>(i); }

void put(std::vector<std::uint8_t>& to, std::size_t at, std::uint32_t v, std::size_t bytes = 4) {
  for (std::size_t b = 0; b < bytes; ++b) to[at + b] = static_cast<std::uint8_t>(v >> (8 * b));
}

std::size_t tensors_of_all(const fb::Model& model) {
  std::size_t out = 0;
  for (const auto* graph : *model.subgraphs()) out += length(graph->tensors());
  return out;
}

std::uint32_t get(const std::uint8_t* from) {
  std::uint32_t out = 0;
  std::memcpy(&out, from, 4);
  return out;  // the format is little-endian, and so is every machine that this runs on
}

/// A new beginning of a flatbuffer, before the old file: offsets there point ahead only, so the root, and the vectors
/// that grow, move to the front, and all else stays as it is.
class Front {
 public:
  explicit Front(const std::vector<std::uint8_t>& old) : old_(old), model_(fb::GetModel(old.data())) {}

  std::vector<std::uint8_t> with(const std::vector<std::uint8_t>& data) {
    const auto* root = reinterpret_cast<const flatbuffers::Table*>(model_);
    // Root: its table of fields, then the fields, each an offset but for the version.
    constexpr std::size_t kFields = 8;
    bytes_.assign(8, 0);
    std::memcpy(&bytes_[4], fb::ModelIdentifier(), 4);
    const std::size_t vtable = reserve(4 + 2 * kFields, 4), table = reserve(4 + 4 * kFields, 4);
    put(bytes_, vtable, 4 + 2 * kFields, 2), put(bytes_, vtable + 2, 4 + 4 * kFields, 2);
    put(bytes_, table, static_cast<std::uint32_t>(table - vtable));
    put(bytes_, 0, static_cast<std::uint32_t>(table));
    for (std::size_t f = 0; f < kFields; ++f) {
      const auto id = static_cast<flatbuffers::voffset_t>(4 + 2 * f);
      const std::size_t slot = table + 4 + 4 * f;
      const std::uint8_t* was = root->GetAddressOf(id);
      if (f != 4 && f != 6 && !was) continue;
      put(bytes_, vtable + id, static_cast<std::uint32_t>(slot - table), 2);
      if (f == 0)
        put(bytes_, slot, get(was));
      else if (f != 4 && f != 6)
        point(slot, was + get(was));
    }
    buffers(table + 4 + 4 * 4, data);
    metadata(table + 4 + 4 * 6);
    while (bytes_.size() % 16) bytes_.push_back(0);  // what the old file has aligned stays so
    for (const auto& [slot, at] : old_targets_)
      put(bytes_, slot, static_cast<std::uint32_t>(bytes_.size() + at - slot));
    bytes_.insert(bytes_.end(), old_.begin(), old_.end());
    return std::move(bytes_);
  }

 private:
  std::size_t reserve(std::size_t size, std::size_t alignment) {
    while (bytes_.size() % alignment) bytes_.push_back(0);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size, 0);
    return at;
  }
  /// An offset in the new part to something in the old one.
  void point(std::size_t slot, const std::uint8_t* target) {
    old_targets_.emplace_back(slot, static_cast<std::size_t>(target - old_.data()));
  }
  void point_ahead(std::size_t slot, std::size_t target) {
    put(bytes_, slot, static_cast<std::uint32_t>(target - slot));
  }

  /// A table with these fields of four bytes each. @returns the place of the first.
  std::size_t small_table(std::size_t fields) {
    const std::size_t vtable = reserve(4 + 2 * fields, 4), table = reserve(4 + 4 * fields, 4);
    put(bytes_, vtable, static_cast<std::uint32_t>(4 + 2 * fields), 2);
    put(bytes_, vtable + 2, static_cast<std::uint32_t>(4 + 4 * fields), 2);
    for (std::size_t f = 0; f < fields; ++f) put(bytes_, vtable + 4 + 2 * f, static_cast<std::uint32_t>(4 + 4 * f), 2);
    put(bytes_, table, static_cast<std::uint32_t>(table - vtable));
    return table + 4;
  }

  template <class V>
  std::size_t longer(std::size_t slot, const V* old, std::size_t skipped) {
    const std::size_t kept = length(old) - (skipped < length(old) ? 1 : 0);
    const std::size_t vector = reserve(4 + 4 * (kept + 1), 4);
    point_ahead(slot, vector);
    put(bytes_, vector, static_cast<std::uint32_t>(kept + 1));
    std::size_t next = vector + 4;
    for (std::uint32_t i = 0; i < length(old); ++i)
      if (i != skipped) point(next, reinterpret_cast<const std::uint8_t*>(old->Get(i))), next += 4;
    return next;  // of the new entry
  }

  void buffers(std::size_t slot, const std::vector<std::uint8_t>& data) {
    number_ = static_cast<std::uint32_t>(length(model_->buffers()));
    const std::size_t entry = longer(slot, model_->buffers(), ~std::size_t{0});
    const std::size_t field = small_table(1);
    point_ahead(entry, field - 4);
    while (bytes_.size() % 16 != 12) bytes_.push_back(0);  // data after its length, aligned to 16
    const std::size_t vector = reserve(4 + data.size(), 4);
    point_ahead(field, vector);
    put(bytes_, vector, static_cast<std::uint32_t>(data.size()));
    std::copy(data.begin(), data.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(vector + 4));
  }

  void metadata(std::size_t slot) {
    std::size_t skipped = ~std::size_t{0};
    for (std::uint32_t i = 0; i < length(model_->metadata()); ++i)
      if (const auto* name = model_->metadata()->Get(i)->name(); name && name->str() == kEntry) skipped = i;
    const std::size_t entry = longer(slot, model_->metadata(), skipped);
    const std::size_t field = small_table(2);
    point_ahead(entry, field - 4);
    put(bytes_, field + 4, number_);
    const std::size_t size = std::strlen(kEntry), text = reserve(4 + size + 1, 4);
    point_ahead(field, text);
    put(bytes_, text, static_cast<std::uint32_t>(size));
    std::memcpy(&bytes_[text + 4], kEntry, size);
  }

  const std::vector<std::uint8_t>& old_;
  const fb::Model* model_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::pair<std::size_t, std::size_t>> old_targets_;  // place of an offset, place in the old file
  std::uint32_t number_ = 0;                                      // of the new buffer
};

/// The vector of operators has an offset for each. @returns false where one lies in the vector.
bool reorder(std::vector<std::uint8_t>& bytes, std::span<const int> order) {
  const auto* operators = fb::GetModel(bytes.data())->subgraphs()->Get(0)->operators();
  ensure(order.size() == length(operators), "offline plan: an order of other operators");
  std::vector<std::size_t> targets;
  std::vector<bool> seen(order.size(), false);
  for (const int op : order) {
    ensure(op >= 0 && at_number(op) < seen.size() && !seen[at_number(op)], "offline plan: no order");
    seen[at_number(op)] = true;
    const auto* table = reinterpret_cast<const std::uint8_t*>(operators->Get(static_cast<std::uint32_t>(op)));
    targets.push_back(static_cast<std::size_t>(table - bytes.data()));
  }
  if (order.empty()) return true;
  const auto first = static_cast<std::size_t>(operators->Data() - bytes.data());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t slot = first + 4 * i;
    if (targets[i] <= slot) return false;
    put(bytes, slot, static_cast<std::uint32_t>(targets[i] - slot));
  }
  return true;
}

/// Whether one file is the other with its operators in this order, as the memory planner sees both.
bool same_graph(const std::vector<std::uint8_t>& before, const std::vector<std::uint8_t>& after,
                std::span<const int> order) {
  Diagnostics d;
  const auto a = read_tflm_graph(before, "", d), b = read_tflm_graph(after, "", d);
  if (!a || !b || a->operators.size() != b->operators.size() || a->tensors.size() != b->tensors.size()) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Operator &x = a->operators[at_number(order[i])], &y = b->operators[i];
    if (x.type != y.type || x.inputs != y.inputs || x.outputs != y.outputs) return false;
  }
  for (std::size_t t = 0; t < a->tensors.size(); ++t) {
    const Tensor &x = a->tensors[t], &y = b->tensors[t];
    if (x.name != y.name || x.shape != y.shape || x.type != y.type || x.kind != y.kind) return false;
  }
  return a->inputs == b->inputs && a->outputs == b->outputs;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> with_offline_plan(const std::vector<std::uint8_t>& bytes,
                                                           std::span<const int> order,
                                                           std::span<const std::int64_t> offsets) {
  const auto* model = fb::GetModel(bytes.data());
  ensure(offsets.size() == length(model->subgraphs()->Get(0)->tensors()), "offline plan: offsets of other tensors");
  // The runtime wants one for each tensor of all subgraphs; those of others lie in no arena.
  const std::size_t count = tensors_of_all(*model);
  std::vector<std::uint8_t> data(4 * kHeader, 0);
  data.resize(4 * (kHeader + count), 0xFF);
  put(data, 0, 1), put(data, 4, 1), put(data, 8, static_cast<std::uint32_t>(count));
  for (std::size_t t = 0; t < offsets.size(); ++t) {
    ensure(offsets[t] >= -1 && offsets[t] <= max_tflite_bytes * 8, "offline plan: an offset that no arena has");
    put(data, 4 * (kHeader + t), static_cast<std::uint32_t>(static_cast<std::int32_t>(offsets[t])));
  }
  auto ordered = bytes;
  if (!reorder(ordered, order)) return std::nullopt;
  auto written = Front(ordered).with(data);
  if (!same_graph(bytes, written, order)) return std::nullopt;
  return written;
}

std::optional<std::vector<std::int64_t>> offline_plan_of(const std::vector<std::uint8_t>& bytes) {
  const fb::Model* model = fb::GetModel(bytes.data());
  for (std::uint32_t i = 0; i < length(model->metadata()); ++i) {
    const auto* entry = model->metadata()->Get(i);
    if (!entry->name() || entry->name()->str() != kEntry || entry->buffer() >= length(model->buffers())) continue;
    const auto* data = model->buffers()->Get(entry->buffer())->data();
    if (length(data) < 4 * kHeader) return std::nullopt;
    const std::uint32_t count = get(data->data() + 8);
    if (length(data) != 4 * (kHeader + std::size_t{count})) return std::nullopt;
    const std::size_t own = length(model->subgraphs()->Get(0)->tensors());
    if (count != tensors_of_all(*model)) return std::nullopt;
    std::vector<std::int64_t> out;
    for (std::uint32_t t = 0; t < own; ++t)
      out.push_back(static_cast<std::int32_t>(get(data->data() + 4 * (kHeader + t))));
    return out;
  }
  return std::nullopt;
}

}  // namespace dse::nn
