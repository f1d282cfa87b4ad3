#include "cli/terminal/pseudo_terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

#include "support/catch.hpp"

namespace perfmodel::test {

PseudoTerminal::PseudoTerminal(unsigned short columns) : own_(::posix_openpt(O_RDWR | O_NOCTTY)) {
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

PseudoTerminal::~PseudoTerminal() {
  hang_up();
  ::close(own_);
}

const std::string& PseudoTerminal::text() {
  hang_up();
  return text_;
}

void PseudoTerminal::hang_up() {
  if (!reader_.joinable())
    return;
  ::close(programs_);
  reader_.join();
}

}  // namespace perfmodel::test
