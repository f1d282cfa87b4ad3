#pragma once

#include <string>
#include <string_view>

namespace perfmodel {

/// SHA-256 (FIPS 180-4) of the bytes as 64 lower-case hexadecimal digits, as sha256sum prints it.
std::string sha256(std::string_view bytes);

/// Of a file, read piece by piece. Throws InputError where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace perfmodel
