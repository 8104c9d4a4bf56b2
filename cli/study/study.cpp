// dse study: what a study holds, for people and for other programs.
#include "cli/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/common/output.h"
#include "reports/words/document.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using explore::CandidateStatus;
using explore::StudyReader;
using explore::StudySubject;
using nlohmann::ordered_json;

struct StudyOptions {
  std::string study, network, layer, device, status, out;
  std::int64_t limit = 10;
  bool json = false;
};

std::string cell(std::int64_t v) { return v < 0 ? "-" : reports::grouped(v); }

std::string shown(const std::string& text) { return text.empty() ? "-" : text; }

/// "8 simulated, 3 dominated"
std::string counts_text(const StudySubject& s) {
  std::string out;
  for (int i = 0; i < explore::kCandidateStatuses; ++i)
    if (s.counts[i] != 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", reports::grouped(s.counts[i]),
                         to_string(static_cast<CandidateStatus>(i)));
  return out.empty() ? "no candidates" : out;
}

ordered_json counts_json(const StudySubject& s) {
  ordered_json out = ordered_json::object();
  for (int i = 0; i < explore::kCandidateStatuses; ++i)
    out[std::string(to_string(static_cast<CandidateStatus>(i)))] = s.counts[i];
  return out;
}

ordered_json list_json(const StudyReader& study, const std::vector<StudySubject>& subjects) {
  ordered_json out = {{"study", study.path()}, {"about", study.about()}};
  out["sessions"] = ordered_json::array();
  for (const auto& s : study.sessions())
    out["sessions"].push_back({{"session", s.id},
                               {"version", s.info.version},
                               {"model", s.info.model},
                               {"command_line", s.info.command_line},
                               {"inputs", s.info.inputs},
                               {"started", s.started},
                               {"ended", s.ended.empty() ? ordered_json() : ordered_json(s.ended)}});
  out["subjects"] = ordered_json::array();
  for (const auto& s : subjects) {
    auto one = study_subject_json(s);
    one["candidates"] = counts_json(s);
    one["searches"] = s.searches;
    out["subjects"].push_back(std::move(one));
  }
  return out;
}

int list(const StudyOptions& o) {
  const StudyReader study(o.study);
  const auto subjects = study.subjects();
  if (o.json) return print_json(list_json(study, subjects)), Exit::ok;
  auto about = study.about();
  const auto sessions = study.sessions().size();
  fmt::print("{}: format {}, made {} by dse {}, {} session{}\n", study.path(), about["format"], about["created"],
             about["version"], sessions, sessions == 1 ? "" : "s");
  bool models = false;
  for (const auto& s : subjects) models |= s.model != sim::kTimingModel;
  reports::Table table{{{"kind", false}, {"network", false}, {"layer", false}, {"device", false}}};
  for (int i = 0; i < explore::kCandidateStatuses; ++i)
    table.columns.push_back({std::string(to_string(static_cast<CandidateStatus>(i)))});
  table.columns.push_back({"searches"});
  if (models) table.columns.push_back({"timing model"});
  for (const auto& s : subjects) {
    auto& row = table.rows.emplace_back();
    row = {s.subject.kind, s.subject.network, shown(s.subject.name), s.subject.device};
    for (const auto n : s.counts) row.push_back(reports::grouped(n));
    row.push_back(reports::grouped(s.searches));
    if (models) row.push_back(std::to_string(s.model) + (s.model == sim::kTimingModel ? "" : " (not this one)"));
  }
  fmt::print("{}", as_text(table));
  return Exit::ok;
}

/// Subjects that the options name. Nothing after a diagnostic.
std::vector<StudySubject> chosen(const StudyReader& study, const StudyOptions& o, Diagnostics& d) {
  auto subjects = study.subjects();
  const auto narrow = [&](const std::string& wanted, const char* what, auto field) {
    if (wanted.empty() || d.has_errors()) return;
    std::set<std::string> known;
    for (const auto& s : subjects) known.insert(field(s));
    if (known.count(wanted) == 0) {
      const std::vector<std::string> names(known.begin(), known.end());
      const auto guess = nearest(wanted, names);
      d.error({study.path(), 0, 0}, fmt::format("holds nothing of {} {}", what, quote(wanted)),
              guess.empty() ? "dse study list " + o.study : "did you mean " + guess + "?");
    }
    std::erase_if(subjects, [&](const StudySubject& s) { return field(s) != wanted; });
  };
  narrow(o.network, "network", [](const StudySubject& s) { return s.subject.network; });
  narrow(o.layer, "layer", [](const StudySubject& s) { return s.subject.name; });
  narrow(o.device, "device", [](const StudySubject& s) { return s.subject.device; });
  return subjects;
}

constexpr int kBeforeEnergy = 5;  // columns

std::int64_t energy_of(const explore::StudyRow& row) { return row.candidate.costs[explore::kEnergy]; }

/// Without a column of energies where none is known.
std::string candidates_text(const StudySubject& s, const std::vector<explore::StudyRow>& rows) {
  reports::Table table{
      {{"status", false}, {"cycles"}, {"latency"}, {"bound"}, {"memory"}, {"traffic"}, {"assignment", false}}};
  const bool energy = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return energy_of(row) >= 0; });
  if (energy) table.columns.insert(table.columns.begin() + kBeforeEnergy, {"energy/uJ"});
  for (const auto& row : rows) {
    const auto& c = row.candidate;
    const auto ticks = c.costs[explore::kTicks];
    const double us = study_latency_us(s, ticks);
    std::string what = c.assignment;
    if (what.empty()) what = "(defaults)";
    if (!c.plan.empty()) what = c.plan + "  " + what;
    if (!c.reason.empty()) what += "  " + c.reason;
    auto& cells = table.rows.emplace_back(std::vector{std::string(to_string(c.status)), cell(ticks),
                                                      us < 0 ? "-" : reports::latency_text(us), cell(c.bound),
                                                      cell(c.memory), cell(c.costs[explore::kTraffic]), what});
    if (!energy) continue;
    const auto fj = energy_of(row);
    cells.insert(cells.begin() + kBeforeEnergy, fj < 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(fj) * 1e-9));
  }
  return as_text(table);
}

int show(const StudyOptions& o) {
  const StudyReader study(o.study);
  Diagnostics d;
  const auto subjects = chosen(study, o, d);
  if (const int code = report(d)) return code;
  const auto status = explore::candidate_status(o.status);
  auto all = ordered_json::array();
  bool first = true;
  for (const auto& s : subjects) {
    if (status && s.counts[static_cast<std::size_t>(*status)] == 0) continue;
    const auto rows = study.best(s.id, status, o.limit);
    if (o.json) {
      auto one = study_subject_json(s);
      one["counts"] = counts_json(s);
      one["candidates"] = ordered_json::array();
      for (const auto& row : rows) one["candidates"].push_back(study_candidate_json(s, row));
      all.push_back(std::move(one));
      continue;
    }
    fmt::print("{}{} {}{} on {}: {}\n", first ? "" : "\n", s.subject.kind,
               s.subject.name.empty() ? "" : s.subject.name + " of ", s.subject.network, s.subject.device,
               counts_text(s));
    first = false;
    if (!rows.empty()) fmt::print("{}", candidates_text(s, rows));
    const auto total = status ? s.counts[static_cast<std::size_t>(*status)] : s.count();
    const auto left = total - static_cast<std::int64_t>(rows.size());
    if (left > 0) fmt::print("  and {} more: --limit 0 shows all\n", reports::grouped(left));
  }
  if (o.json) print_json(all);
  return Exit::ok;
}

int export_to(const StudyOptions& o) {
  const StudyReader study(o.study);
  const auto ends = [&](std::string_view with) { return std::string_view(o.out).ends_with(with); };
  if (o.out != "-" && !ends(".csv") && !ends(".json")) {
    Diagnostics d;
    d.error({"--out", 0, 0}, quote(o.out) + " ends neither in .csv nor in .json", "or - for standard output");
    return report(d);
  }
  export_study(study, o.out, o.out == "-" ? o.json : ends(".json"));
  return Exit::ok;
}

CLI::App* add(CLI::App& study, const char* name, const char* what, const std::shared_ptr<StudyOptions>& o) {
  auto* command = study.add_subcommand(name, what);
  command->add_option("study", o->study, "folder of a run, or a study.sqlite")->required();
  return command;
}

}  // namespace

void add_study(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<StudyOptions>();
  auto* study = app.add_subcommand("study", "Show what the searches of a run have found out");
  study->require_subcommand(1);
  auto* l = add(*study, "list", "What has been searched, and how many candidates there are", o);
  l->add_flag("--json", o->json, "print JSON");
  l->callback([o, &invocation] { invocation.exit = list(*o); });
  auto* s = add(*study, "show", "Candidates, best first", o);
  s->add_option("--network,-n", o->network, "of this network only");
  s->add_option("--layer,-l", o->layer, "of this layer only");
  s->add_option("--device,-d", o->device, "on this device point only");
  s->add_option("--status,-s", o->status, "of this status only")
      ->check(CLI::IsMember({"simulated", "dominated", "infeasible", "outside", "crashed", "hung"}));
  s->add_option("--limit", o->limit, "at most so many of each layer or network; 0: all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
      ->capture_default_str();
  s->add_flag("--json", o->json, "print JSON");
  s->callback([o, &invocation] { invocation.exit = show(*o); });
  auto* e = add(*study, "export", "All candidates as CSV or JSON", o);
  e->add_option("--out,-o", o->out, "file.csv or file.json; - is standard output")->required();
  e->add_flag("--json", o->json, "JSON on standard output, not CSV");
  e->callback([o, &invocation] { invocation.exit = export_to(*o); });
}

}  // namespace dse::cli
