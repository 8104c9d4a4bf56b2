#include "models/nn/network.h"

#include <cstring>
#include <map>

#include "base/fnv.h"

namespace dse::nn {

std::int64_t Network::macs() const {
  std::int64_t n = 0;
  for (const auto& op : operators) n += op.macs;
  return n;
}

std::int64_t Network::parameter_bytes() const {
  std::int64_t n = 0;
  for (const auto& t : tensors)
    if (t.kind == TensorKind::constant) n += t.bytes();
  return n;
}

std::int64_t Network::parameters() const {
  std::int64_t n = 0;
  for (const auto& t : tensors)
    if (t.kind == TensorKind::constant) n += t.elements();
  return n;
}

int Network::producer(int tensor) const {
  for (std::size_t o = 0; o < operators.size(); ++o)
    for (const int t : operators[o].outputs)
      if (t == tensor) return static_cast<int>(o);
  return -1;
}

std::vector<int> Network::consumers(int tensor) const {
  std::vector<int> found;
  for (std::size_t o = 0; o < operators.size(); ++o) {
    for (const int t : operators[o].inputs) {
      if (t != tensor) continue;
      found.push_back(static_cast<int>(o));
      break;
    }
  }
  return found;
}

namespace {

/// Tensors are hashed by their order of first use, so that neither names nor unused tensors nor a file's numbering
/// matter.
class StructureHash {
 public:
  explicit StructureHash(const Network& n) : network_(n) {}
  void tensor(int index) {
    if (index < 0) {
      fnv_.word(-1);
      return;
    }
    const auto [it, fresh] = order_.emplace(index, static_cast<std::int64_t>(order_.size()));
    fnv_.word(it->second);
    if (!fresh) return;
    const Tensor& t = network_.tensors[static_cast<std::size_t>(index)];
    fnv_.word(static_cast<std::int64_t>(t.type));
    fnv_.word(t.kind == TensorKind::constant);
    fnv_.word(static_cast<std::int64_t>(t.shape.size()));
    for (const auto d : t.shape) fnv_.word(d);
  }
  /// Options at their default value do not count, so that new options leave old hashes alone.
  void options(const OperatorOptions& o) {
    static const OperatorOptions defaults;
    std::vector<std::vector<std::int64_t>> plain;
    for_each_option(defaults, [&](const char*, const auto& v) { plain.push_back(words_of(v)); });
    std::size_t index = 0;
    for_each_option(o, [&](const char*, const auto& v) {
      const auto words = words_of(v);
      if (words != plain[index]) {
        fnv_.word(static_cast<std::int64_t>(index));
        for (const auto w : words) fnv_.word(w);
      }
      ++index;
    });
  }
  void words(const std::vector<int>& tensors) {
    fnv_.word(static_cast<std::int64_t>(tensors.size()));
    for (const int t : tensors) tensor(t);
  }
  Fnv& fnv() { return fnv_; }

 private:
  static std::vector<std::int64_t> words_of(float v) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    return {bits};
  }
  static std::vector<std::int64_t> words_of(const std::vector<std::int64_t>& v) { return v; }
  template <class T>
  static std::vector<std::int64_t> words_of(T v) {
    return {static_cast<std::int64_t>(v)};
  }

  const Network& network_;
  Fnv fnv_;
  std::map<int, std::int64_t> order_;
};

}  // namespace

std::string Network::structure_hash() const {
  StructureHash hash(*this);
  hash.words(inputs);
  for (const auto& op : operators) {
    hash.fnv().word(static_cast<std::int64_t>(op.kind));
    hash.words(op.inputs);
    hash.words(op.outputs);
    hash.options(op.options);
    if (op.cycles >= 0) hash.fnv().word(-2), hash.fnv().word(op.cycles);
  }
  hash.words(outputs);
  return hash.fnv().hex();
}

const char* name_of(Rounding r) {
  switch (r) {
    case Rounding::tflite:
      return "tflite";
    case Rounding::single:
      return "single";
    case Rounding::onnx:
      return "onnx";
    case Rounding::qformat:
      return "qformat";
  }
  return "?";
}

}  // namespace dse::nn
