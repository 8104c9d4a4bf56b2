#include <algorithm>

#include "plan/choices/choice_walk.h"
#include "plan/document/document.h"
#include "plan/document/plan_io.h"
#include "plan/plan.h"

namespace dse::plan::io {

namespace {

using yaml::Node;
using yaml::Reader;
using yaml::Type;

/// Names of operators come from model files, so they may hold anything: no pattern.
template <class V, class Make>
Type<std::vector<V>> free_map(const std::string& word, yaml::Schema value, Make make) {
  Type<std::vector<V>> out;
  out.schema.kind = yaml::Schema::Kind::map;
  out.schema.words = "mapping from " + word + " to " + value.words;
  out.schema.key_word = word;
  out.schema.items = {std::move(value)};
  out.read = [make, words = out.schema.words](const Node& n, Reader& r, std::vector<V>& v) {
    if (!yaml::detail::expect_map(n, r, "a " + words)) return false;
    yaml::detail::check_duplicates(n, r);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      Reader::Step step(r, n.keys[i].text);
      V one;
      one.name = {n.keys[i].text, n.keys[i].where(), true, true};
      if (make(n.items[i], r, one)) v.push_back(std::move(one));
    }
    return true;
  };
  return out;
}

yaml::Schema choice_schema() {
  yaml::Schema value;
  value.kind = yaml::Schema::Kind::quantity;
  value.bare = true;
  value.pattern = ".+";
  value.words = "value";
  yaml::Schema s;
  s.kind = yaml::Schema::Kind::object;
  s.title = "Layer";
  s.description = "The choices of one layer; what is left out is the first value that applies.";
  s.words = "choices";
  const auto registry = ChoiceRegistry::standard();
  for (const auto& c : registry.all()) s.properties.push_back({c.name, value, c.doc, false, {}});
  return s;
}

Type<std::vector<LayerText>> layers() {
  const auto choices = free_map<ChoiceText>("choice", {}, [](const Node& n, Reader& r, ChoiceText& out) {
    if (!yaml::detail::expect_scalar(n, r, "a value")) return false;
    out.value = {n.text, n.where(), true, true};
    return true;
  });
  return free_map<LayerText>("layer", choice_schema(), [choices](const Node& n, Reader& r, LayerText& out) {
    return choices.read(n, r, out.choices);
  });
}

Type<BufferText> buffer() {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  yaml::Object<BufferText> fields("Buffer", "A named byte range in a memory.");
  fields.required("name", &BufferText::name, yaml::text(), "t<index> of a tensor, or <layer>.<buffer>");
  fields.required("memory", &BufferText::memory, yaml::text(), "memory of the device");
  fields.required("offset", &BufferText::offset, yaml::whole({"an offset", "1024", {}, true}, 0, most),
                  "first byte, from the memory's start");
  fields.required("size", &BufferText::size, yaml::whole({"a size in bytes", "1024", {}, true}, 0, most), "bytes");
  fields.optional("lifetime", &BufferText::lifetime, yaml::list_of(yaml::located(yaml::text()), 2, 2),
                  "first and last layer that it lives through");
  fields.check([](BufferText& b, const Node& n, Reader&) { b.where = n.where(); });
  return fields.type();
}

Type<std::vector<LayerText>> operations() {
  const auto choices = free_map<ChoiceText>("choice", {}, [](const Node& n, Reader& r, ChoiceText& out) {
    if (!yaml::detail::expect_scalar(n, r, "a value")) return false;
    out.value = {n.text, n.where(), true, true};
    return true;
  });
  yaml::Schema value;
  value.kind = yaml::Schema::Kind::object;
  value.title = "Operation";
  value.description = "What an operation of the NPU has otherwise than by the rule.";
  value.words = "choices";
  yaml::Schema text;
  text.kind = yaml::Schema::Kind::quantity, text.bare = true, text.pattern = ".+", text.words = "value";
  value.properties.push_back({"block", text, "its block of outputs, rows x columns x channels: 4x8x16", false, {}});
  value.properties.push_back({"weights", text, "in place: they are read where they lie", false, {}});
  return free_map<LayerText>("operation", value, [choices](const Node& n, Reader& r, LayerText& out) {
    return choices.read(n, r, out.choices);
  });
}

yaml::Object<NpuText> npu() {
  yaml::Object<NpuText> fields("Npu", "The schedule of the device's NPU; the CPU runs what it cannot.");
  fields.optional("rule", &NpuText::rule, yaml::located(yaml::choice({"performance", "size"})),
                  "of Arm's compiler: as fast as the limit allows, or as small as cascades make it");
  fields.optional("limit", &NpuText::limit, yaml::text(), "bytes of SRAM that the rule may use; left out, all");
  fields.optional("formats", &NpuText::formats, yaml::located(yaml::choice({"in-place", "bricks"})),
                  "of tensors that only the NPU sees: in-place leaves an elementwise operation's output channels last "
                  "where it can lie in place of an input; bricks has all in bricks of 16 channels");
  fields.optional("operations", &NpuText::operations, operations(), "what is decided otherwise, by operation");
  return fields;
}

yaml::Object<OwnerText> owner(const std::string& title, const std::string& of, const std::string& hash) {
  yaml::Object<OwnerText> fields(title, "What the plan belongs to.");
  fields.required("name", &OwnerText::name, yaml::text(), "name of the " + of);
  fields.optional(hash, &OwnerText::hash, yaml::text(),
                  "what it was when the plan was made; left out, it is not checked");
  return fields;
}

}  // namespace

const yaml::Object<PlanText>& plan_fields() {
  static const auto fields = [] {
    yaml::Object<PlanText> plan("Plan", "How one network runs on one device.");
    plan.required("network", &PlanText::network, owner("Network", "network", "structure").type(),
                  "the network; its weights do not matter");
    plan.required("device", &PlanText::device, owner("Device", "device", "hash").type(), "the device");
    plan.optional("origin", &PlanText::origin, yaml::text(), "where the plan comes from");
    plan.optional("alias_reshapes", &PlanText::alias_reshapes, yaml::boolean(),
                  "reshapes share the bytes of their input instead of copying them");
    plan.optional(
        "input", &PlanText::input, yaml::located(yaml::choice({"released", "kept", "streamed"})),
        "what becomes of the network's inputs: released once read (as when left out), kept for the caller, or "
        "streamed in from the device's input_from");
    plan.optional("order", &PlanText::order, yaml::list_of(yaml::located(yaml::text())),
                  "names of all layers in the order in which they run; left out, as in the network's file");
    plan.optional("layers", &PlanText::layers, layers(), "how each layer runs");
    plan.optional("npu", &PlanText::npu, yaml::located(npu().type()),
                  "instead of layers, on a device with an NPU: the schedule there");
    plan.optional("buffers", &PlanText::buffers, yaml::list_of(buffer()),
                  "where everything lies; left out, offsets are found anew");
    return plan;
  }();
  return fields;
}

std::vector<std::pair<std::string, std::string>> named_choices(const ChoiceRegistry& registry,
                                                               const LayerContext& context, const LayerChoice& choice,
                                                               bool is_layer, bool output) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto start = start_of(context, output ? Given::home : Given::nothing);
  walk(registry, context, start, given_of(is_layer, output), [&](const OpenChoice& open, const LayerChoice&) {
    const auto& c = open.choice;
    const int value = c.get(choice);
    const bool only = open.given || !c.searched || open.domain.size() <= 1;
    if (!only || value != open.fallback) out.emplace_back(c.name, c.text(*context.device, value));
    return value;
  });
  return out;
}

}  // namespace dse::plan::io

namespace dse::plan {

std::string plan_schema() { return yaml::json_schema(io::plan_fields(), "plan.json"); }

}  // namespace dse::plan
