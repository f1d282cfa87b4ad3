#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace perfmodel {

/// Hands every line of a text file's bytes that is not blank to `visit`, with its number from 1.
/// The line has no line end, a byte-order mark is skipped, and the visitor may change its
/// characters; they are gone when it returns.
///
/// `source` names the file in messages. Throws InputError where the bytes are not text with LF or
/// CRLF line ends: UTF-16, NUL bytes, bare carriage returns, a spreadsheet or an archive, a line
/// that is too long. `handed_on`, where there is one, hears of every block of bytes whose lines
/// come next: how many are behind it.
void for_each_line(std::string_view bytes, const std::string& source,
                   const std::function<void(std::span<char> line, std::uint32_t number)>& visit,
                   const std::function<void(std::size_t bytes)>& handed_on = {});

}  // namespace perfmodel
