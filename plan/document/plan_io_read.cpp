// Reads plans. What is derived is derived again and compared with what is written, so that a plan which can be read can
// be run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/suggest.h"
#include "plan/document/document.h"
#include "plan/document/plan_io.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/network/run_order.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

class PlanReader {
 public:
  PlanReader(const io::PlanText& text, const std::string& file, const nn::Network& network, const hw::Device& device,
             Diagnostics& diags, bool any_name)
      : text_(text), file_(file), network_(network), device_(device), diags_(diags), any_name_(any_name) {}

  std::optional<Plan> plan() {
    const bool by_structure = any_name_ && text_.network.hash.given;
    check_owner(text_.network, "network", by_structure ? text_.network.name.value : network_.name,
                network_.structure_hash(), "its structure");
    check_owner(text_.device, "device", device_.name, device_.hash(), "the device");
    if (text_.npu.present) return npu_plan();
    if (!text_.layers.present) error(text_.network.name.where, "the plan has neither layers nor npu");
    read_choices();
    read_order();
    if (input() == shared::Input::streamed && device_.input_from < 0)
      error(text_.input.where,
            fmt::format("device {} has no memory that inputs come from, so they cannot be streamed", device_.name),
            "it would name it in input_from");
    if (errors_ > 0) return std::nullopt;
    const bool placed = text_.buffers.present;
    // With buffers given, only sizes and lifetimes are wanted: memory sizes must not stand in the way.
    hw::Device ample = device_;
    if (placed)
      for (auto& m : ample.memories) m.make_room(std::int64_t{1} << 50);
    auto made = make_plan(network_, ample, choices_,
                          {.alias_reshapes = text_.alias_reshapes, .input = input(), .order = order_});
    if (const auto* no = std::get_if<Infeasible>(&made)) {
      infeasible(*no);
      return std::nullopt;
    }
    Plan plan = std::get<Plan>(std::move(made));
    plan.device_hash = device_.hash();
    plan.origin = text_.origin;
    if (placed) errors_ += io::place(plan, text_, network_, device_, diags_);
    if (errors_ > 0) return std::nullopt;
    return plan;
  }

 private:
  /// What follows from the decisions is compared with what is written.
  std::optional<Plan> npu_plan() {
    if (text_.layers.present)
      error(text_.layers.where, "layers and npu exclude each other: an NPU's schedule says how all of them run");
    const auto npu = hw::ethos_u::npu_of(device_);
    if (!npu) error(text_.npu.where, "device " + device_.name + " has no NPU");
    if (errors_ > 0) return std::nullopt;
    const auto& t = text_.npu.value;
    std::vector<std::pair<std::string, std::string>> named;
    if (t.rule.given) named.emplace_back("npu.rule", t.rule.value);
    if (t.limit.given) named.emplace_back("npu.limit", t.limit.value);
    if (t.formats.given) named.emplace_back("npu.formats", t.formats.value);
    for (const auto& o : t.operations.value)
      for (const auto& c : o.choices) named.emplace_back(o.name.value + "." + c.name.value, c.value.value);
    const auto decided = npu::decisions_of(network_, npu->npu, named);
    if (const auto* why = std::get_if<std::string>(&decided)) {
      error(text_.npu.where, *why);
      return std::nullopt;
    }
    auto made = npu::npu_plan(std::make_shared<nn::Network>(network_), device_, std::get<npu::Decisions>(decided));
    if (const auto* no = std::get_if<Infeasible>(&made)) {
      error(text_.npu.where, no->what, no->hint);
      return std::nullopt;
    }
    Plan plan = std::get<Plan>(std::move(made));
    plan.origin = text_.origin;
    if (text_.buffers.present) same_places(plan);
    if (errors_ > 0) return std::nullopt;
    return plan;
  }

  void same_places(const Plan& plan) {
    std::map<std::string, const PlacedBuffer*> there;
    for (const auto& b : plan.buffers)
      if (b.role != program::BufferRole::constants) there[b.name] = &b;
    for (const auto& b : text_.buffers.value) {
      const auto it = there.find(b.name.value);
      if (it == there.end())
        error(b.name.where, "the schedule has no buffer " + quote(b.name.value));
      else if (it->second->offset != b.offset.value || it->second->size != b.size.value ||
               device_.memories[static_cast<std::size_t>(it->second->memory)].name != b.memory.value)
        error(b.where,
              fmt::format("buffer {} lies at {} in {} and has {} bytes by this schedule", b.name.value,
                          it->second->offset, device_.memories[static_cast<std::size_t>(it->second->memory)].name,
                          it->second->size),
              "leave buffers out if the schedule shall be placed anew");
      if (it != there.end()) there.erase(it);
    }
    for (const auto& [name, b] : there)
      error(text_.buffers.where, fmt::format("buffer {} is missing: {} bytes", name, b->size));
  }

  void error(const Location& where, const std::string& what, std::string hint = {}) {
    ++errors_;
    diags_.error(where, what, std::move(hint));
  }

  void check_owner(const io::OwnerText& owner, const std::string& what, const std::string& name,
                   const std::string& hash, const std::string& it) {
    if (owner.name.given && owner.name.value != name)
      error(owner.name.where,
            fmt::format("the plan is for {} {}, not for {}", what, quote(owner.name.value), quote(name)));
    else if (owner.hash.given && owner.hash.value != hash)
      error(owner.hash.where,
            fmt::format("the plan was made for another version of {} {}: {} has changed ({}, now {})", what, name, it,
                        quote(owner.hash.value), hash),
            "leave the hash out if the plan shall be tried all the same");
  }

  shared::Input input() {
    using shared::Input;
    if (!text_.input.given) return Input::released;
    for (const auto i : {Input::kept, Input::streamed})
      if (text_.input.value == name_of(i)) return i;
    return Input::released;
  }

  void read_order() {
    std::vector<std::string> names;
    for (const auto& op : network_.operators) names.push_back(op.name);
    for (const auto& name : text_.order.value) {
      const auto it = std::find(names.begin(), names.end(), name.value);
      if (it == names.end())
        error(name.where, fmt::format("network {} has no layer {}", network_.name, quote(name.value)),
              io::did_you_mean(name.value, names));
      else
        order_.push_back(static_cast<int>(it - names.begin()));
    }
    if (errors_ > 0) return;
    std::size_t at = 0;
    if (const auto why = why_not_in(network_, text_.alias_reshapes, order_, &at); !why.empty())
      error(at < order_.size() ? text_.order.value[at].where : text_.order.where, why,
            "an order has every layer once, after those that make what it reads");
  }

  void read_choices() {
    std::map<std::string, const io::LayerText*> by_name;
    std::vector<std::string> names;
    for (const auto& op : network_.operators) names.push_back(op.name);
    for (const auto& l : text_.layers.value) {
      by_name[l.name.value] = &l;
      if (std::count(names.begin(), names.end(), l.name.value) == 0)
        error(l.name.where, fmt::format("network {} has no layer {}", network_.name, quote(l.name.value)),
              io::did_you_mean(l.name.value, names));
    }
    choices_.assign(network_.operators.size(), {});
    const auto outputs = makes_output(network_, text_.alias_reshapes);
    for (std::size_t op = 0; op < choices_.size(); ++op) {
      const auto it = by_name.find(network_.operators[op].name);
      read_layer(static_cast<int>(op), it == by_name.end() ? nullptr : it->second, outputs[op]);
    }
  }

  void read_layer(int op, const io::LayerText* layer, bool output) {
    static const auto registry = ChoiceRegistry::standard();
    auto& choice = choices_[static_cast<std::size_t>(op)];
    const bool is_layer = !text_.alias_reshapes || !renames(network_, network_.operators[static_cast<std::size_t>(op)]);
    std::map<std::string, yaml::Name> written;
    std::vector<std::string> known;
    for (const auto& c : registry.all()) known.push_back(c.name);
    for (const auto& c : layer ? layer->choices : std::vector<io::ChoiceText>{}) {
      written[c.name.value] = c.value;
      if (registry.find(c.name.value) == nullptr)
        error(c.name.where, "there is no choice " + quote(c.name.value),
              nearest(c.name.value, known).empty() ? "choices are " + join_or(known)
                                                   : io::did_you_mean(c.name.value, known));
    }
    const auto context = context_of(network_, device_, choices_, op, text_.alias_reshapes);
    const auto start = start_of(context, output ? Given::home : Given::nothing);
    choice =
        walk(registry, context, start, io::given_of(is_layer, output), [&](const OpenChoice& open, const LayerChoice&) {
          const auto it = written.find(open.choice.name);
          return it == written.end() ? open.fallback : read_choice(open, it->second, op, output);
        });
    if (is_layer && choice.output_memory < 0)
      error(layer ? layer->name.where : text_.layers.where,
            "layer " + network_.operators[static_cast<std::size_t>(op)].name + " has no memory for its output");
  }

  int read_choice(const OpenChoice& open, const yaml::Name& text, int op, bool output) {
    const auto& c = open.choice;
    const auto& layer = network_.operators[static_cast<std::size_t>(op)].name;
    const auto value = c.parse(device_, text.value);
    if (!value) {
      std::vector<std::string> words;
      for (const int v : open.domain) words.push_back(c.text(device_, v));
      error(text.where, fmt::format("{} is no {} of layer {}", quote(text.value), c.name, layer),
            words.empty() ? "" : "possible are " + join_or(words));
    } else if (output && is_home(c) && *value != open.fallback) {
      error(text.where, fmt::format("the output of layer {} is an output of the network: it ends in {}, channels last",
                                    layer, device_.memories[static_cast<std::size_t>(device_.io)].name));
    } else {
      return *value;
    }
    return open.fallback;
  }

  /// At the layer that it is about, where the document has it.
  void infeasible(const Infeasible& no) {
    Location where = text_.layers.where;
    for (const auto& l : text_.layers.value)
      if (no.op >= 0 && l.name.value == network_.operators[static_cast<std::size_t>(no.op)].name) where = l.name.where;
    error(where, no.what, no.hint);
  }

  const io::PlanText& text_;
  const std::string& file_;
  const nn::Network& network_;
  const hw::Device& device_;
  Diagnostics& diags_;
  const bool any_name_;
  std::vector<LayerChoice> choices_;
  std::vector<int> order_;
  int errors_ = 0;
};

}  // namespace

std::optional<Plan> read_plan_text(const std::string& text, const std::string& file, const nn::Network& network,
                                   const hw::Device& device, Diagnostics& diags, bool any_name) {
  io::PlanText out;
  if (!yaml::read_text(text, file, io::plan_fields(), {}, diags, out)) return std::nullopt;
  return PlanReader(out, file, network, device, diags, any_name).plan();
}

std::optional<Plan> read_plan(const std::string& path, const nn::Network& network, const hw::Device& device,
                              Diagnostics& diags, bool any_name) {
  const auto text = yaml::load(path, diags);
  if (!text) return std::nullopt;
  return read_plan_text(*text, path, network, device, diags, any_name);
}

}  // namespace dse::plan
