#pragma once

#include <nettle/sha2.h>

#include <string>
#include <string_view>

namespace perfmodel {

/// SHA-256 (FIPS 180-4) of bytes that come block by block.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view block);
  /// As 64 lower-case hexadecimal digits, as sha256sum prints it; begins anew.
  std::string text();

 private:
  sha256_ctx context_ = {};
};

/// The same of all bytes.
std::string sha256(std::string_view bytes);

/// Of a file, read piece by piece. Throws InputError where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace perfmodel
