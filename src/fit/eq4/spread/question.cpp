#include "fit/eq4/spread/question.hpp"

#include <cstring>
#include <utility>

#include "base/plain_bytes.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

void write(const VectorXd& values, ByteWriter& out) {
  out.add_all(std::string_view(reinterpret_cast<const char*>(values.data()),
                               static_cast<std::size_t>(values.size()) * sizeof(double)));
}

VectorXd read_values(ByteReader& in) {
  const std::string_view bytes = in.take_bytes(in.take_count());
  VectorXd out(static_cast<Eigen::Index>(bytes.size() / sizeof(double)));
  if (!bytes.empty())
    std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

}  // namespace

std::string Question::bytes() const {
  ByteWriter out;
  out.add(what);
  write(at, out);
  write(more, out);
  out.add_all(rows);
  return std::move(out).take();
}

Question Question::read(std::string_view bytes) {
  ByteReader in(bytes);
  Question out;
  in.take(out.what);
  out.at = read_values(in);
  out.more = read_values(in);
  in.take_all(out.rows);
  return out;
}

void Answer::add(Answer next) {
  if (sums.size() == 0)
    sums = std::move(next.sums);
  else if (next.sums.size() > 0)
    sums += next.sums;
  for (KinkRow& row : next.rows)
    rows.push_back(std::move(row));
}

std::string bytes_of(const std::vector<Answer>& answers) {
  ByteWriter out;
  out.add(static_cast<std::uint64_t>(answers.size()));
  for (const Answer& answer : answers) {
    write(answer.sums, out);
    out.add(static_cast<std::uint64_t>(answer.rows.size()));
    for (const KinkRow& row : answer.rows) {
      out.add(row.id);
      out.add(row.residual);
      out.add(row.weight);
      out.add(row.level);
      out.add(row.of_level);
      write(row.others, out);
    }
  }
  return std::move(out).take();
}

std::vector<Answer> answers_of(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<Answer> out(in.take_count());
  for (Answer& answer : out) {
    answer.sums = read_values(in);
    answer.rows.resize(in.take_count());
    for (KinkRow& row : answer.rows) {
      in.take(row.id);
      in.take(row.residual);
      in.take(row.weight);
      in.take(row.level);
      in.take(row.of_level);
      row.others = read_values(in);
    }
  }
  return out;
}

}  // namespace perfmodel
