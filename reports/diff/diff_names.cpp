// Which layers of two documents are the same one, and one name for each.
#include <set>

#include "models/nn/graph/align.h"
#include "reports/diff/diff_parts.h"

namespace dse::reports::parts {
namespace {

using nlohmann::json;

std::vector<nn::LayerForm> forms_of(const json& front) {
  std::vector<nn::LayerForm> out;
  for (const auto& l : front.at("layers")) {
    out.push_back({l.at("name"), l.at("kind"), l.at("options"), l.at("weights"), l.at("inputs"), l.at("outputs"),
                   l.at("from").get<std::vector<int>>()});
    for (const int from : out.back().from)
      if (from < -1 || from >= static_cast<int>(front.at("layers").size()))
        throw DiffError("the layer " + out.back().name + " reads from a layer that there is not");
  }
  return out;
}

/// Every layer that a document names.
std::set<std::string> named(const Measured& m) {
  std::set<std::string> out;
  if (const auto it = m.front.find("layers"); it != m.front.end())
    for (const auto& l : *it) out.insert(l.at("name").get<std::string>());
  for (const auto& row : m.point.at("account"))
    if (row.contains("layer")) out.insert(row.at("layer").get<std::string>());
  return out;
}

/// "conv3.weights", "output of conv3": the layer in it by its common name.
std::string in_words(const std::string& text, const std::map<std::string, std::string>& common) {
  constexpr std::string_view kOf = " of ";
  if (const auto of = text.rfind(kOf); of != std::string::npos) {
    const auto it = common.find(text.substr(of + kOf.size()));
    if (it != common.end()) return text.substr(0, of + kOf.size()) + it->second;
  }
  const auto dot = text.rfind('.');
  const auto it = dot == std::string::npos ? common.end() : common.find(text.substr(0, dot));
  return it == common.end() ? text : it->second + text.substr(dot);
}

}  // namespace

void LayerNames::pair(const Measured& a, const Measured& b) {
  const auto in_a = named(a), in_b = named(b);
  const auto join = [&](const std::string& name_a, const std::string& name_b) {
    const auto common = name_a == name_b ? name_a : name_a + " -> " + name_b;
    common_a_[name_a] = common_b_[name_b] = common;
    own_[common] = {name_a, name_b};
  };
  if (a.front.contains("layers") && b.front.contains("layers")) {
    const auto forms_a = forms_of(a.front), forms_b = forms_of(b.front);
    const auto of_a = nn::align(forms_a, forms_b);
    for (std::size_t i = 0; i < of_a.size(); ++i)
      if (of_a[i] >= 0) join(forms_a[i].name, forms_b[static_cast<std::size_t>(of_a[i])].name);
  } else {
    for (const auto& name : in_a)
      if (in_b.count(name) > 0) join(name, name);
  }
  const auto alone = [&](const std::string& name, bool is_a) {
    auto& common = is_a ? common_a_ : common_b_;
    if (common.count(name) > 0) return;
    const bool taken = (is_a ? in_b : in_a).count(name) > 0;
    const auto shown = taken ? name + (is_a ? " (A)" : " (B)") : name;
    common[name] = shown;
    own_[shown] = is_a ? std::pair(name, std::string()) : std::pair(std::string(), name);
  };
  for (const auto& name : in_a) alone(name, true);
  for (const auto& name : in_b) alone(name, false);
}

LayerNames::LayerNames(const Measured& a, const Measured& b) { pair(a, b); }

Measured LayerNames::in_common(const Measured& m, bool is_a) const {
  const auto& common = is_a ? common_a_ : common_b_;
  auto out = m;
  for (auto& row : out.point.at("account"))
    if (row.contains("layer")) row["layer"] = common.at(row.at("layer"));
  for (auto& buffer : out.point.at("buffers"))
    for (const char* key : {"name", "tensor"}) buffer[key] = in_words(buffer.at(key), common);
  json assignment = json::object();
  for (const auto& [name, value] : m.point.at("assignment").items()) assignment[in_words(name, common)] = value;
  out.point["assignment"] = std::move(assignment);
  return out;
}

std::pair<std::string, std::string> LayerNames::own(const std::string& common) const {
  const auto it = own_.find(common);
  return it == own_.end() ? std::pair(common, common) : it->second;
}

}  // namespace dse::reports::parts
