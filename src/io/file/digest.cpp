#include "io/file/digest.hpp"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>

namespace perfmodel {

std::string sha256(std::string_view bytes) {
  static_assert(sizeof(char) == sizeof(std::uint8_t));
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
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

}  // namespace perfmodel
