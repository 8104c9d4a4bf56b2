// Files of the project that are made from declarations and committed, for editors and readers.
#pragma once
#include <filesystem>
#include <string>

namespace dse::hw::test {

std::string content(const std::filesystem::path& file);

/// Fails where the file's bytes are others. DSE_UPDATE=1 rewrites it.
void expect_up_to_date(const std::filesystem::path& file, const std::string& expected);

/// The same of what follows the page's mark "<!-- generated: every field -->".
void expect_reference_up_to_date(const std::filesystem::path& page, const std::string& reference);

}  // namespace dse::hw::test
