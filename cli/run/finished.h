// A run that has ended well says so, in finished.json: what was asked, by which program, what it answered, hashes of
// its files, and a signature (a hash of all this: whoever edits it by hand is noticed, nobody is kept from it). Asked
// the same again, dse run gives the same answer without running.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/run/run_folder.h"

namespace dse::cli {

/// Digest of everything that the answer depends on: the sweep, every input file, the program and its timing model.
std::string question_of(const Inputs& inputs);

/// Notes the end of a run in its folder: `lines` are what was printed. Call after store_run.
/// @throws std::runtime_error when the file cannot be written.
void note_finished(const std::string& folder, const Inputs& inputs, const explore::Sweep& sweep,
                   const std::vector<std::string>& lines);

/// What a run of these inputs printed, if it ended in this folder and none of its files has changed since.
std::optional<std::vector<std::string>> finished_answer(const std::string& folder, const Inputs& inputs);

}  // namespace dse::cli
