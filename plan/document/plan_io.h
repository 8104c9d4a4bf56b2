// What reading and writing of plans share: the document's fields, and how choices become names and back.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/yaml.h"
#include "plan/choices/choice_walk.h"

namespace dse::plan::io {

/// A choice's name and its value as written.
struct ChoiceText {
  yaml::Name name, value;
};

struct LayerText {
  yaml::Name name;
  std::vector<ChoiceText> choices;
};

struct BufferText {
  yaml::Name name, memory;
  yaml::Located<std::int64_t> offset, size;
  std::vector<yaml::Name> lifetime;  // names of the first and last layer
  Location where;
};

struct OwnerText {
  yaml::Name name, hash;
};

/// Of a plan with segments on an NPU: how its schedule is made, and what is decided otherwise by operation.
struct NpuText {
  yaml::Name rule, limit, formats;
  yaml::Located<std::vector<LayerText>> operations;
};

struct PlanText {
  OwnerText network, device;
  std::string origin = "by hand";
  bool alias_reshapes = true;
  yaml::Name input;
  yaml::Located<std::vector<yaml::Name>> order;
  yaml::Located<std::vector<LayerText>> layers;
  yaml::Located<NpuText> npu;
  yaml::Located<std::vector<BufferText>> buffers;
};

const yaml::Object<PlanText>& plan_fields();

/// What nobody decides of an operator: aliased reshapes are no layers.
inline Given given_of(bool is_layer, bool output) {
  return !is_layer ? Given::all : output ? Given::home : Given::nothing;
}

/// (name, value) of every choice of an operator that is worth writing: those that are not the only possibility. In
/// declaration order.
std::vector<std::pair<std::string, std::string>> named_choices(const ChoiceRegistry& registry,
                                                               const LayerContext& context, const LayerChoice& choice,
                                                               bool is_layer, bool output);

/// "did you mean conv3?"; empty when nothing known is like it.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// Puts the buffers of a plan where the text says, and measures heights and loads there. @returns how many errors were
/// reported: missing, unknown and repeated buffers, other sizes, bytes in use twice.
int place(Plan& plan, const PlanText& text, const nn::Network& network, const hw::Device& device, Diagnostics& diags);

}  // namespace dse::plan::io
