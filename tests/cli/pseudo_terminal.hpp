#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "support/catch.hpp"

namespace perfmodel::test {

/// A terminal whose person reads all that appears.
class PseudoTerminal {
 public:
  /// 0: it does not tell its width.
  explicit PseudoTerminal(unsigned short columns = 0) : own_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(own_ >= 0);
    REQUIRE(::grantpt(own_) == 0);
    REQUIRE(::unlockpt(own_) == 0);
    programs_ = ::open(::ptsname(own_), O_RDWR | O_NOCTTY);
    REQUIRE(programs_ >= 0);
    const winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(programs_, TIOCSWINSZ, &size) == 0);
    reader_ = std::thread([this] {
      std::array<char, 4096> block{};
      for (ssize_t count = 0; (count = ::read(own_, block.data(), block.size())) > 0;)
        text_.append(block.data(), static_cast<std::size_t>(count));
    });
  }
  ~PseudoTerminal() {
    hang_up();
    ::close(own_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  int programs_end() const { return programs_; }

  /// All that programs have written; they cannot any more.
  const std::string& text() {
    hang_up();
    return text_;
  }

 private:
  int own_;
  int programs_ = -1;
  std::string text_;
  std::thread reader_;

  /// The reader's next read fails once no program has the other end.
  void hang_up() {
    if (!reader_.joinable())
      return;
    ::close(programs_);
    reader_.join();
  }
};

}  // namespace perfmodel::test
