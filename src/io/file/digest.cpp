#include "io/file/digest.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <vector>

#include "perfmodel/base/error.hpp"

namespace perfmodel {

Sha256::Sha256() {
  sha256_init(&context_);
}

void Sha256::add(std::string_view block) {
  static_assert(sizeof(char) == sizeof(std::uint8_t));
  sha256_update(&context_, block.size(), reinterpret_cast<const std::uint8_t*>(block.data()));
}

std::string Sha256::text() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context_, digest.size(), digest.data());
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += hexadecimal[byte >> 4U];
    text += hexadecimal[byte & 0xFU];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.text();
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  Sha256 digest;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
  if (!file.eof())
    throw InputError("cannot read " + path);
  return digest.text();
}

}  // namespace perfmodel
