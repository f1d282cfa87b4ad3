// What reading the numbers of a file costs at least: `parsed_numbers FILE` parses all cells that
// are numbers, on one thread, and prints how many there were.

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

int main(int argc, char** argv) {
  std::FILE* const file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
  if (file == nullptr) {
    std::fputs("usage: parsed_numbers FILE\n", stderr);
    return 2;
  }
  std::string bytes(1U << 20, '\0');
  std::size_t kept = 0;
  std::size_t numbers = 0;
  double sum = 0;
  while (const std::size_t count = std::fread(bytes.data() + kept, 1, bytes.size() - kept, file)) {
    const char* at = bytes.data();
    const char* const end = at + kept + count;
    while (const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
      const char* const line_end = static_cast<const char*>(found);
      while (at < line_end) {
        double value = 0;
        const auto [after, error] = std::from_chars(at, line_end, value);
        if (error == std::errc{}) {
          ++numbers;
          sum += value;
        }
        const void* const comma =
            std::memchr(after, ',', static_cast<std::size_t>(line_end - after));
        at = comma == nullptr ? line_end : static_cast<const char*>(comma) + 1;
      }
      at = line_end + 1;
    }
    kept = static_cast<std::size_t>(end - at);
    std::memmove(bytes.data(), at, kept);
  }
  std::fclose(file);
  std::printf("%zu numbers, sum %g\n", numbers, sum);
  return 0;
}
