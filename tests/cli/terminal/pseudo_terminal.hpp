#pragma once

#include <string>
#include <thread>

namespace perfmodel::test {

/// A terminal whose person reads all that appears.
class PseudoTerminal {
 public:
  /// 0: it does not tell its width.
  explicit PseudoTerminal(unsigned short columns = 0);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  int programs_end() const { return programs_; }

  /// All that programs have written; they cannot any more.
  const std::string& text();

 private:
  int own_;
  int programs_ = -1;
  std::string text_;
  std::thread reader_;

  /// The reader's next read fails once no program has the other end.
  void hang_up();
};

}  // namespace perfmodel::test
