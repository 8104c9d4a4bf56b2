// Worker processes. Results come back by item number, so they do not depend on how many workers there are.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dse::explore {

/// What becomes of items that are under way when the whole is interrupted: finished, because their results are kept, or
/// given up at once.
enum class WhenInterrupted { finish, abandon };

/// Runs work(i) for i in [0, items) in `jobs` forked processes and returns the bytes each produced. Workers see the
/// parent's memory as it was at the call. `done` is called in the parent after each item. When `interrupted` turns true
/// no new item is started and the rest stays empty (nullopt), as do those that `when` abandons.
/// @throws std::runtime_error when a worker dies (its last words are on stderr) or `work` throws (with its message).
std::vector<std::optional<std::string>> fork_map(
    std::int64_t items, int jobs, const std::function<std::string(std::int64_t)>& work,
    const std::function<void(std::int64_t item, const std::string& bytes)>& done = {},
    const std::atomic<bool>* interrupted = nullptr, WhenInterrupted when = WhenInterrupted::finish);

}  // namespace dse::explore
