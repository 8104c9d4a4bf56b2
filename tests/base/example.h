// A small document type with one field of every kind, for the tests of the field reader.
#pragma once
#include "base/yaml/yaml.h"

namespace dse::yaml::example {

enum class Colour { red, green };

struct Shape {
  std::string kind;
  std::int64_t side = 0, radius = 7;
};

struct Part {
  std::int64_t size = 0;
  Ratio rate{1, 2};
  int count = 3;
  Located<std::int64_t> reserved;
};

struct Document {
  std::string title = "untitled";
  Name main;
  bool on = true;
  Colour colour = Colour::green;
  Duration delay;
  double energy = 1.5;
  std::optional<std::int64_t> limit;
  std::vector<std::string> tags;
  std::vector<Entry<Part>> parts;
  std::vector<Entry<Shape>> shapes;
  std::map<std::string, Ratio> table;
  std::vector<std::vector<Name>> links;
};

inline const Object<Document>& fields() {
  static const auto object = [] {
    Object<Part> part("Part", "A part.");
    part.required("size", &Part::size, whole(unit::bytes, 1, 1 << 20), "how large");
    part.optional("rate", &Part::rate, rational(unit::bandwidth, {0, 1}, {8, 1}), "how fast");
    part.optional("count", &Part::count, small(unit::count, 1, 9), "how many");
    part.optional("reserved", &Part::reserved, whole(unit::bytes, 0, 1 << 20), "not free");
    part.check([](Part& p, const Node&, Reader& r) {
      if (p.reserved.given && p.reserved.value > p.size) r.error(p.reserved.where, "more than the size");
    });
    Object<Shape> square("Square", "Has four sides."), circle("Circle", "Is round.");
    square.required("side", &Shape::side, whole(unit::count, 1, 100), "length");
    circle.optional("radius", &Shape::radius, whole(unit::count, 1, 100), "length");
    Tagged<Shape> shape("kind");
    shape.add("square", square, [](Shape& s) { s.kind = "square"; });
    shape.add("circle", circle, [](Shape& s) { s.kind = "circle"; });
    Object<Document> o("Document", "A document.");
    o.optional("title", &Document::title, text(), "what it is");
    o.required("main", &Document::main, name(), "the main part");
    o.optional("on", &Document::on, boolean(), "whether");
    o.optional("colour", &Document::colour, choice<Colour>({{"red", Colour::red}, {"green", Colour::green}}), "which");
    o.optional("delay", &Document::delay, duration(), "how long");
    o.optional("energy", &Document::energy, real(unit::pj_per_byte, 0, 10), "how much");
    o.optional("limit", &Document::limit, whole(unit::count, 1, 1000000), "at most");
    o.optional("tags", &Document::tags, one_or_more(text()), "words");
    o.required("parts", &Document::parts, map_of(part.type(), "name", 1), "its parts");
    o.optional("shapes", &Document::shapes, map_of(shape.type(), "name"), "its shapes");
    o.optional("table", &Document::table, table_of(rational(unit::ratio, {0, 1}, {10, 1}), "operator", {"conv", "add"}),
               "costs");
    o.optional("links", &Document::links, list_of(list_of(located(name()), 2, 2)), "pairs");
    return o;
  }();
  return object;
}

struct Outcome {
  bool ok;
  Document document;
  std::string errors;
};

inline Outcome read(const std::string& text, const Overrides& overrides = {}) {
  Outcome o;
  Diagnostics d;
  o.ok = read_text(text, "f.yaml", fields(), overrides, d, o.document);
  o.errors = d.text();
  return o;
}

}  // namespace dse::yaml::example
