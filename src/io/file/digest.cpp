#include "io/file/digest.hpp"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <vector>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

void add_bytes(sha256_ctx& context, std::string_view bytes) {
  static_assert(sizeof(char) == sizeof(std::uint8_t));
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string digest_of(sha256_ctx& context) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += hexadecimal[byte >> 4];
    text += hexadecimal[byte & 15];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  add_bytes(context, bytes);
  return digest_of(context);
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  sha256_ctx context;
  sha256_init(&context);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    add_bytes(context, {block.data(), static_cast<std::size_t>(file.gcount())});
  if (!file.eof())
    throw InputError("cannot read " + path);
  return digest_of(context);
}

}  // namespace perfmodel
