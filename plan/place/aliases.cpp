#include "plan/place/aliases.h"

#include <algorithm>

#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"

namespace dse::plan {
namespace {

class Placer {
 public:
  Placer(const nn::Network& n, const std::vector<LayerChoice>& choices, bool alias_reshapes,
         const std::vector<int>& order)
      : n_(n), choices_(choices), root_(alias_roots(n, alias_reshapes)), position_(n.operators.size()) {
    const auto layers = layers_in(n, alias_reshapes, order);
    for (std::size_t i = 0; i < layers.size(); ++i) position_[layers[i]] = static_cast<int>(i);
    places_.of.resize(n.tensors.size());
    places_.over.assign(n.tensors.size(), -1);
    for (std::size_t t = 0; t < root_.size(); ++t) places_.of[t].root = root_[t];
  }

  TensorPlaces run() {
    const auto layers = static_cast<int>(n_.operators.size());
    for (int op = layers - 1; op >= 0 && places_.problem.empty(); --op)  // wholes before their parts
      if (choices_[op].in_place) place_parts(op);
    for (std::size_t t = 0; t < root_.size(); ++t) buffer_.push_back(places_.of[t].root);
    for (int op = 0; op < layers && places_.problem.empty(); ++op)
      if (choices_[op].in_place && parts_of(n_, op).empty()) overwrite(op);
    return std::move(places_);
  }

 private:
  void refuse(int op, const std::string& why) {
    places_.problem = "layer " + n_.operators[op].name + " cannot be in place: " + why;
    places_.problem_layer = op;
  }
  const LayerChoice* maker(int tensor) const {
    const int producer = n_.producer(root_[tensor]);
    return producer < 0 ? nullptr : &choices_[producer];
  }
  bool same_home(int tensor, int op) const {
    const auto* m = maker(tensor);
    return m && m->output_memory == choices_[op].output_memory && m->output_layout == choices_[op].output_layout;
  }

  /// Concatenations and paddings: inputs become boxes of the output, wherever that lies.
  void place_parts(int op) {
    const auto parts = parts_of(n_, op);
    if (parts.empty()) return;
    const int out = n_.operators[op].outputs[0];
    const auto& t = n_.tensors[out];
    const auto image = t.image();
    const std::int64_t elem = nn::size_of(t.type);
    const TensorPlace whole = places_.of[out];
    const Strides steps = whole.inside.dense() ? Strides{image.c * elem, image.w * image.c * elem} : whole.inside;
    if (choices_[op].output_layout != TensorLayout::hwc) return refuse(op, "its output is not channels last");
    for (const Part& p : parts) {
      const int r = root_[p.tensor];
      const auto& name = n_.tensors[p.tensor].name;
      if (places_.of[r].root != r) return refuse(op, name + " is already a part of another tensor");
      if (!same_home(p.tensor, op)) return refuse(op, name + " lies elsewhere");
      TensorPlace place{whole.root, whole.offset + p.y * steps.h + p.x * steps.w + p.c * elem, steps};
      const auto box = n_.tensors[p.tensor].image();
      if ((box.w == 1 || steps.w == box.c * elem) && (box.h == 1 || steps.h == box.w * box.c * elem)) place.inside = {};
      for (std::size_t a = 0; a < root_.size(); ++a) {
        if (root_[a] != r) continue;
        if (static_cast<int>(a) != p.tensor && !place.inside.dense())
          return refuse(op, name + " is reshaped, which takes bytes without gaps");
        places_.of[a] = place;
      }
    }
  }

  /// Element-wise: the first input that can be written over gives its buffer.
  void overwrite(int op) {
    const auto inputs = activations(n_, n_.operators[op]);
    const auto candidates = inputs_to_overwrite(n_, op, buffer_);
    const int out = n_.operators[op].outputs[0];
    if (buffer_[out] != out) return refuse(op, "its output is a part of " + n_.tensors[buffer_[out]].name);
    if (candidates.empty()) return refuse(op, "it has no input that it may write over");
    int later = -1;  // a layer that still wants to read what would be written over
    for (const int i : candidates) {
      if (!same_home(inputs[i], op)) continue;
      later = reader_after(op, root_[inputs[i]]);
      if (later >= 0) continue;
      places_.over[out] = buffer_[inputs[i]];
      return;
    }
    refuse(op, later < 0 ? "what it would write over lies elsewhere"
                         : "layer " + n_.operators[later].name + " reads later what it would write over");
  }
  int reader_after(int op, int root) const {
    for (std::size_t t = 0; t < root_.size(); ++t)
      if (root_[t] == root)
        for (const int reader : n_.consumers(static_cast<int>(t)))
          if (position_[reader] > position_[op]) return reader;
    return -1;
  }

  const nn::Network& n_;
  const std::vector<LayerChoice>& choices_;
  std::vector<int> root_;      // through reshapes
  std::vector<int> buffer_;    // through reshapes and parts
  std::vector<int> position_;  // per operator: its place in the order
  TensorPlaces places_;
};

}  // namespace

TensorPlaces place_tensors(const nn::Network& network, const std::vector<LayerChoice>& choices, bool alias_reshapes,
                           const std::vector<int>& order) {
  return Placer(network, choices, alias_reshapes, order).run();
}

}  // namespace dse::plan
