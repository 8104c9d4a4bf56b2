// What a terminal is shown: text of files, never their control characters.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace dse {

/// The text with its control characters as \xNN: those of ASCII but line feed and tab, those of ISO 6429's second set
/// (UTF-8 c2 80 to c2 9f, and bytes 80 to 9f that are part of no character), and the marks that turn the direction of
/// writing (U+202A to U+202E, U+2066 to U+2069), by which a name looks like another.
std::string printable(std::string_view text);

/// From here on, what is written to stdout and to stderr passes printable(), each where it is a terminal: names come
/// from files that somebody else made. What goes into files and pipes stays as it is. Call once, before threads.
void escape_on_terminals();

/// stderr as it was before escape_on_terminals(): for what draws on the terminal itself.
std::FILE* bare_stderr();

}  // namespace dse
