// A session on a stream: lines of JSON in, lines of JSON out.
#pragma once
#include <atomic>
#include <cstdio>

#include "explore/ask/evaluate.h"

namespace dse::cli {

/// Answers every line that comes from the file descriptor `in` with one on `out`, in order, each flushed. Ends at the
/// end of the stream, when `out` can no longer be written, or when `interrupted` is set. @returns the exit code: 0;
/// 5 after a mismatch and 1 after a defect, which are told on standard error too; 130.
int answer_lines(explore::Evaluator& evaluator, int in, std::FILE* out, const std::atomic<bool>& interrupted);

}  // namespace dse::cli
