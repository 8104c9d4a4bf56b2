// Which layers of two points are the same one, and one name for each.
#include <set>

#include "models/nn/graph/align.h"
#include "reports/diff/diff_parts.h"

namespace dse::reports::parts {
namespace {

void check_forms(const std::vector<nn::LayerForm>& forms) {
  for (const auto& l : forms)
    for (const int from : l.from)
      if (from < -1 || from >= static_cast<int>(forms.size()))
        throw RecordError("the layer " + l.name + " reads from a layer that there is not");
}

/// Every layer that a side names.
std::set<std::string> named(const RecordedPoint& m) {
  std::set<std::string> out(m.point.layers.begin(), m.point.layers.end());
  for (const auto& l : m.front.layers) out.insert(l.name);
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

LayerNames::LayerNames(const RecordedPoint& a, const RecordedPoint& b) {
  const auto in_a = named(a), in_b = named(b);
  const auto join = [&](const std::string& name_a, const std::string& name_b) {
    const auto common = name_a == name_b ? name_a : name_a + " -> " + name_b;
    common_a_[name_a] = common_b_[name_b] = common;
    own_[common] = {name_a, name_b};
  };
  const auto &forms_a = a.front.layers, &forms_b = b.front.layers;
  if (!forms_a.empty() && !forms_b.empty()) {
    check_forms(forms_a), check_forms(forms_b);
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

RecordedPoint LayerNames::in_common(const RecordedPoint& m, bool is_a) const {
  const auto& common = is_a ? common_a_ : common_b_;
  auto out = m;
  for (auto& layer : out.point.layers) layer = common.at(layer);
  for (auto& b : out.point.buffers) b.name = in_words(b.name, common), b.tensor = in_words(b.tensor, common);
  out.point.assignment.clear();
  for (const auto& [name, value] : m.point.assignment) out.point.assignment[in_words(name, common)] = value;
  return out;
}

std::pair<std::string, std::string> LayerNames::own(const std::string& common) const {
  const auto it = own_.find(common);
  return it == own_.end() ? std::pair(common, common) : it->second;
}

}  // namespace dse::reports::parts
