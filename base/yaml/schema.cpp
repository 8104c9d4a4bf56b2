#include "base/yaml/schema.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/suggest.h"

namespace dse::yaml {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Schema& s);

/// Defaults are written as users would write them; what YAML reads as a number or boolean is one in the schema too.
Json default_of(const Property& p) {
  const auto& t = p.default_text;
  if (p.schema.kind == Schema::Kind::boolean) return t == "true";
  if (p.schema.kind == Schema::Kind::quantity && p.schema.bare &&
      t.find_first_not_of("0123456789.") == std::string::npos)
    return Json::parse(t);
  return t;
}

void put_properties(Json& j, const Schema& s, const std::string& tag, const std::string& value) {
  j["type"] = "object";
  Json properties = Json::object(), required = Json::array();
  if (!tag.empty()) {
    properties[tag] = {{"const", value}};
    required.push_back(tag);
  }
  for (const auto& p : s.properties) {
    Json field = json_of(p.schema);
    field["description"] = p.description;
    if (!p.default_text.empty()) field["default"] = default_of(p);
    properties[p.key] = std::move(field);
    if (p.required) required.push_back(p.key);
  }
  j["properties"] = std::move(properties);
  for (const auto& p : s.patterns) {
    Json field = json_of(p.schema);
    field["description"] = p.description;
    j["patternProperties"][p.key] = std::move(field);
  }
  if (!required.empty()) j["required"] = std::move(required);
  j["additionalProperties"] = false;
}

Json quantity(const Schema& s) {
  Json text = {{"type", "string"}, {"pattern", s.pattern}};
  if (!s.bare) return text;
  Json number = {{"type", s.integer ? "integer" : "number"}};
  const auto limit = [&](const char* key, const std::optional<double>& v) {
    // As a double, the largest of all integers is one more than it is.
    if (v && s.integer) number[key] = *v < 0x1p63 ? static_cast<std::int64_t>(*v) : INT64_MAX;
    if (v && !s.integer) number[key] = *v;
  };
  limit("minimum", s.minimum);
  limit("maximum", s.maximum);
  return {{"anyOf", Json::array({number, text})}};
}

Json json_of(const Schema& s) {
  Json j = Json::object();
  switch (s.kind) {
    case Schema::Kind::text:
      j["type"] = "string";
      if (!s.pattern.empty()) j["pattern"] = s.pattern;
      break;
    case Schema::Kind::quantity:
      j = quantity(s);
      break;
    case Schema::Kind::boolean:
      j["type"] = "boolean";
      break;
    case Schema::Kind::choice:
      j["enum"] = s.choices;
      break;
    case Schema::Kind::list:
      j["type"] = "array";
      j["items"] = json_of(s.items[0]);
      if (s.min_items > 0) j["minItems"] = s.min_items;
      if (s.max_items > 0) j["maxItems"] = s.max_items;
      break;
    case Schema::Kind::map:
      j["type"] = "object";
      if (s.min_items > 0) j["minProperties"] = s.min_items;
      if (s.max_items > 0) j["maxProperties"] = s.max_items;
      if (s.key_choices.empty())
        j["propertyNames"] = {{"pattern", s.key_pattern}};
      else
        j["propertyNames"] = {{"enum", s.key_choices}};
      j["additionalProperties"] = json_of(s.items[0]);
      break;
    case Schema::Kind::object:
      if (!s.title.empty()) j["title"] = s.title;
      if (!s.description.empty()) j["description"] = s.description;
      put_properties(j, s, {}, {});
      break;
    case Schema::Kind::tagged:
      j["type"] = "object";
      j["required"] = Json::array({s.tag});
      j["oneOf"] = Json::array();
      for (std::size_t i = 0; i < s.items.size(); ++i) {
        Json alternative = {{"title", s.choices[i]}, {"description", s.items[i].description}};
        put_properties(alternative, s.items[i], s.tag, s.choices[i]);
        j["oneOf"].push_back(std::move(alternative));
      }
      break;
    case Schema::Kind::either:
      j["anyOf"] = Json::array();
      for (const auto& a : s.items) j["anyOf"].push_back(json_of(a));
      break;
  }
  return j;
}

/// Objects that the reference shows in tables of their own, found below lists, maps and alternatives.
void tables(const Schema& s, const std::string& path, std::string& out);

std::string in_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

void table(const Schema& s, const std::string& heading, bool root, std::string& out) {
  out += "\n### " + heading + "\n\n";
  if (!s.description.empty()) out += s.description + "\n\n";
  out += "| field | meaning | written as | default |\n|---|---|---|---|\n";
  if (root) out += "| `format` | version of this file format | 1 | `1` |\n";
  for (const auto& p : s.properties)
    out += "| `" + p.key + "` | " + in_cell(p.description) + " | " + in_cell(p.schema.words) + " | " +
           (p.required               ? "required"
            : p.default_text.empty() ? "-"
                                     : "`" + p.default_text + "`") +
           " |\n";
  for (const auto& p : s.patterns)
    out += "| `" + in_cell(p.key) + "` | " + in_cell(p.description) + " | " + in_cell(p.schema.words) + " | - |\n";
}

void tables(const Schema& s, const std::string& path, std::string& out) {
  switch (s.kind) {
    case Schema::Kind::object:
      table(s, path.empty() ? s.title : "`" + path + "`", path.empty(), out);
      for (const auto& p : s.properties) tables(p.schema, path.empty() ? p.key : path + "." + p.key, out);
      break;
    case Schema::Kind::tagged:
      for (std::size_t i = 0; i < s.items.size(); ++i) {
        table(s.items[i], "`" + path + "` with `" + s.tag + ": " + s.choices[i] + "`", false, out);
        for (const auto& p : s.items[i].properties) tables(p.schema, path + "." + p.key, out);
      }
      break;
    case Schema::Kind::map:
      tables(s.items[0], path + ".<" + s.key_word + ">", out);
      break;
    case Schema::Kind::list:
      tables(s.items[0], path + "[]", out);
      break;
    case Schema::Kind::either:
      for (const auto& a : s.items) tables(a, path, out);
      break;
    default:
      break;
  }
}

}  // namespace

std::string json_schema(const Schema& root, const std::string& id) {
  Json j = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}};
  Json body = json_of(root);
  body["properties"]["format"] = {{"const", 1}, {"description", "version of this file format"}, {"default", 1}};
  j.update(body);
  return j.dump(2) + "\n";
}

std::string reference(const Schema& root) {
  std::string out;
  tables(root, {}, out);
  return out.empty() ? out : out.substr(1);
}

}  // namespace dse::yaml
