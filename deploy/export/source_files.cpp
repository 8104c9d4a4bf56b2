// Which of the shipped sources a package needs, and under which names.
#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "deploy/export/generate_c.h"
#include "deploy/export/shipped.h"

namespace dse::deploy {

namespace {

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "/*") {
      const auto end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Names that begin with dse_, in order of appearance.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("dse_"); at != std::string::npos; at = text.find("dse_", at + 1)) {
    if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) continue;
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

std::vector<std::string> included(const std::string& text) {
  std::vector<std::string> out;
  const std::string mark = "#include \"";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
    out.push_back(text.substr(at + mark.size(), text.find('"', at + mark.size()) - at - mark.size()));
  return out;
}

/// A line that begins a definition at file scope, or a declaration: it starts with a word and is not indented.
bool at_file_scope(const std::string& line) {
  return !line.empty() && (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '_');
}

/// Text as far as it uses others: without declarations of functions, which end in ");" at file scope.
std::string uses_of(const std::string& text) {
  std::string out, statement;
  std::size_t at = 0;
  bool within = false;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("#include")) continue;
    if (!within && at_file_scope(line)) within = true, statement.clear();
    statement += line + "\n";
    if (!within) {
      out += statement, statement.clear();
      continue;
    }
    const bool body = statement.find('{') != std::string::npos;
    if (!body && line.find(';') == std::string::npos) continue;  // goes on
    if (body) out += statement;
    statement.clear();
    within = false;
  }
  return out + statement;
}

/// What a .c file defines for others: names before "(" or "[" or "=" of definitions at file scope.
std::set<std::string> defined_in(const std::string& text) {
  std::set<std::string> out;
  static const std::regex definition(
      R"(^(?!static|typedef|enum \{|enum \w+ \{|struct \w+ \{|extern)[A-Za-z_][\w \*]*?\b(dse_\w+)\s*(\(|=|\[))");
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    std::smatch found;
    if (at_file_scope(line) && line.back() != ';' && std::regex_search(line, found, definition)) out.insert(found[1]);
    if (at_file_scope(line) && line.find("{ return") != std::string::npos && std::regex_search(line, found, definition))
      out.insert(found[1]);
  }
  return out;
}

struct Source {
  std::string text, uses;
};

const std::map<std::string, Source>& sources() {
  static const auto all = [] {
    std::map<std::string, Source> out;
    for (const ShippedFile& f : shipped_files()) {
      const std::string bare = without_comments(f.text);
      out[std::string(f.name)] = {bare, uses_of(bare)};
    }
    return out;
  }();
  return all;
}

const std::map<std::string, std::string>& definitions() {
  static const auto all = [] {
    std::map<std::string, std::string> out;
    for (const auto& [name, source] : sources())
      if (name.ends_with(".c") && name.find('/') == std::string::npos)
        for (const auto& symbol : defined_in(source.text)) out[symbol] = name;
    return out;
  }();
  return all;
}

}  // namespace

TextFiles needed_files(const TextFiles& texts) {
  std::set<std::string> have, generated;
  std::vector<std::string> open;
  std::set<std::string> known;  // defined by what is there already
  const auto look = [&](const std::string& bare, const std::string& uses) {
    for (const auto& file : included(bare))
      if (sources().count(file) && !generated.count(file) && have.insert(file).second) open.push_back(file);
    for (const auto& name : names_in(uses)) {
      const auto at = definitions().find(name);
      if (at != definitions().end() && !known.count(name) && !generated.count(at->second) &&
          have.insert(at->second).second)
        open.push_back(at->second);
    }
  };
  for (const auto& [name, text] : texts) {
    generated.insert(name);
    for (const auto& symbol : defined_in(without_comments(text))) known.insert(symbol);
  }
  for (const auto& [name, text] : texts) {
    const std::string bare = without_comments(text);
    look(bare, uses_of(bare));
  }
  while (!open.empty()) {
    const auto& source = sources().at(open.back());
    open.pop_back();
    look(source.text, source.uses);
  }
  TextFiles out;
  for (const ShippedFile& f : shipped_files())
    if (have.count(std::string(f.name))) out.emplace_back(f.name, f.text);
  return out;
}

std::string capitals_of(std::string prefix) {
  for (char& c : prefix) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return prefix;
}

void rename(TextFiles& files, const std::string& prefix) {
  if (prefix == "dse") return;
  const std::string capitals = capitals_of(prefix);
  const auto renamed = [&](const std::string& text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool starts = i == 0 || (!std::isalnum(static_cast<unsigned char>(text[i - 1])) && text[i - 1] != '_');
      if (starts && (text.compare(i, 4, "dse_") == 0 || text.compare(i, 5, "dse.h") == 0))
        out += prefix, i += 2;
      else if (starts && text.compare(i, 4, "DSE_") == 0)
        out += capitals, i += 2;
      else
        out += text[i];
    }
    return out;
  };
  for (auto& [name, text] : files) {
    if (name == "plan.dse") continue;
    name = renamed(name), text = renamed(text);
  }
}

}  // namespace dse::deploy
