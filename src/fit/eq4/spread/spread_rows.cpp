#include "fit/eq4/spread/spread_rows.hpp"

#include <cmath>
#include <utility>

#include "base/plain_bytes.hpp"
#include "base/tasks/blocks.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {

SpreadRows::SpreadRows(Processes& processes, std::vector<Design> blocks, SearchSpace space,
                       const FitOptions& options)
    : processes_(processes), space_(std::move(space)), threads_(options.threads) {
  const std::size_t first = first_block(processes.number(), processes.count());
  blocks_.resize(blocks.size());
  parallel_for(blocks.size(), threads_, [&](std::size_t i) {
    if (blocks[i].rows > 0)
      blocks_[i] =
          std::make_unique<BlockRows>(first + i, std::move(blocks[i]), space_, options.loss);
  });
  count();
}

SpreadRows::~SpreadRows() {
  if (processes_.number() > 0)
    return;
  const std::string bytes = Question{}.bytes();
  for (std::size_t process = 1; process < processes_.count(); ++process)
    processes_.send(process, bytes);
}

/// Process 0 knows how many there are of all.
void SpreadRows::count() {
  for (const auto& block : blocks_) {
    runs_ += block ? block->runs() : 0;
    rows_ += block ? block->rows() : 0;
  }
  if (processes_.number() > 0) {
    ByteWriter out;
    out.add(runs_);
    out.add(rows_);
    processes_.send(0, std::move(out).take());
    return;
  }
  for (std::size_t process = 1; process < processes_.count(); ++process) {
    const std::string bytes = processes_.receive(process);
    ByteReader in(bytes);
    runs_ += in.take_count();
    rows_ += in.take_count();
  }
}

std::vector<Answer> SpreadRows::own_answers(const Question& question) const {
  std::vector<Answer> out(blocks_.size());
  parallel_for(blocks_.size(), threads_, [&](std::size_t i) {
    if (blocks_[i])
      out[i] = blocks_[i]->answer(question);
  });
  return out;
}

Answer SpreadRows::ask(const Question& question) const {
  const std::string bytes = question.bytes();
  for (std::size_t process = 1; process < processes_.count(); ++process)
    processes_.send(process, bytes);
  Answer out;
  for (Answer& answer : own_answers(question))
    out.add(std::move(answer));
  for (std::size_t process = 1; process < processes_.count(); ++process)
    for (Answer& answer : answers_of(processes_.receive(process)))
      out.add(std::move(answer));
  return out;
}

void SpreadRows::serve() const {
  while (true) {
    const Question question = Question::read(processes_.receive(0));
    if (question.what == Question::What::stop)
      return;
    processes_.send(0, bytes_of(own_answers(question)));
  }
}

double SpreadRows::loss(Loss loss, const Eigen::VectorXd& scaled) const {
  const double mean =
      ask({Question::What::loss, scaled, {}, {}}).sums[0] / static_cast<double>(runs_);
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

}  // namespace perfmodel
