#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <vector>

#include "base/suggest.h"
#include "base/system/terminal.h"

namespace dse {

bool set_up_log(const std::string& level, const std::string& file, Diagnostics& diagnostics) {
  static const std::vector<std::string> words{"trace", "debug", "info", "warn", "error", "off"};
  static const spdlog::level::level_enum levels[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                     spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  std::size_t i = 0;
  while (i < words.size() && words[i] != level) ++i;
  if (i == words.size()) {
    diagnostics.error({"--log-level", 0, 0}, quote(level) + " is none of " + join_or(words));
    return false;
  }
  try {
    spdlog::sink_ptr sink;
    const char* no_color = std::getenv("NO_COLOR");
    if (file.empty())
      sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
          no_color != nullptr && *no_color != '\0' ? spdlog::color_mode::never : spdlog::color_mode::automatic);
    else
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    auto logger = std::make_shared<spdlog::logger>("dse", std::move(sink));
    logger->set_level(levels[i]);
    logger->set_pattern(file.empty() ? "%^%l%$: %v" : "%Y-%m-%d %H:%M:%S.%e %l: %v");
    logger->flush_on(spdlog::level::warn);
    spdlog::set_default_logger(std::move(logger));
    return true;
  } catch (const spdlog::spdlog_ex& e) {
    diagnostics.error({file, 0, 0}, std::string("the log file cannot be opened: ") + e.what());
    return false;
  }
}

void log_debug(const std::string& text) { spdlog::debug("{}", printable(text)); }
void log_info(const std::string& text) { spdlog::info("{}", printable(text)); }

LoggedStage::LoggedStage(std::string name) : name_(std::move(name)), begun_(std::chrono::steady_clock::now()) {
  spdlog::debug("{} begins", name_);
}

LoggedStage::~LoggedStage() {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  spdlog::debug("{} took {:.3f} s", name_, took.count());
}

}  // namespace dse
