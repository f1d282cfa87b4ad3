#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/tasks/processes.hpp"

namespace perfmodel::test {

/// Messages between threads that play processes.
class Post {
 public:
  void send(std::size_t from, std::size_t to, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    messages_[{from, to}].emplace_back(bytes);
    arrived_.notify_all();
  }

  std::string receive(std::size_t from, std::size_t to) {
    std::unique_lock lock(mutex_);
    auto& waiting = messages_[{from, to}];
    arrived_.wait(lock, [&] { return !waiting.empty(); });
    std::string message = waiting.front();
    waiting.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::string>> messages_;
};

class ThreadOfPost : public Processes {
 public:
  ThreadOfPost(Post& post, std::size_t number, std::size_t count)
      : post_(post), number_(number), count_(count) {}
  std::size_t number() const override { return number_; }
  std::size_t count() const override { return count_; }
  void send(std::size_t to, std::string_view bytes) override { post_.send(number_, to, bytes); }
  std::string receive(std::size_t from) override { return post_.receive(from, number_); }

 private:
  Post& post_;
  std::size_t number_;
  std::size_t count_;
};

}  // namespace perfmodel::test
