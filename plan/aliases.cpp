#include "plan/aliases.h"

#include <algorithm>

#include "plan/in_place.h"

namespace dse::plan {
namespace {

class Placer {
 public:
  Placer(const nn::Network& n, const std::vector<LayerChoice>& choices, bool alias_reshapes)
      : n_(n), choices_(choices), root_(alias_roots(n, alias_reshapes)) {
    places_.of.resize(n.tensors.size());
    places_.over.assign(n.tensors.size(), -1);
    for (std::size_t t = 0; t < root_.size(); ++t) places_.of[t].root = root_[t];
  }

  TensorPlaces run() {
    const auto layers = static_cast<int>(n_.operators.size());
    for (int op = 0; op < layers && places_.problem.empty(); ++op)
      if (choices_[op].in_place) overwrite(op);
    return std::move(places_);
  }

 private:
  void refuse(int op, const std::string& why) {
    places_.problem = "layer " + n_.operators[op].name + " cannot be in place: " + why;
  }
  const LayerChoice* maker(int tensor) const {
    const int producer = n_.producer(root_[tensor]);
    return producer < 0 ? nullptr : &choices_[producer];
  }
  bool same_home(int tensor, int op) const {
    const auto* m = maker(tensor);
    return m && m->output_memory == choices_[op].output_memory && m->output_layout == choices_[op].output_layout;
  }

  /// Element-wise: the first input that can be written over gives its buffer.
  void overwrite(int op) {
    const auto inputs = activations(n_, n_.operators[op]);
    const auto candidates = inputs_to_overwrite(n_, op, root_);
    if (candidates.empty()) return refuse(op, "it has no input that it may write over");
    for (const int i : candidates)
      if (same_home(inputs[i], op)) {
        places_.over[root_[n_.operators[op].outputs[0]]] = root_[inputs[i]];
        return;
      }
    refuse(op, "what it would write over lies elsewhere");
  }

  const nn::Network& n_;
  const std::vector<LayerChoice>& choices_;
  std::vector<int> root_;
  TensorPlaces places_;
};

}  // namespace

TensorPlaces place_tensors(const nn::Network& network, const std::vector<LayerChoice>& choices, bool alias_reshapes) {
  return Placer(network, choices, alias_reshapes).run();
}

}  // namespace dse::plan
