// Coroutines of C++: generators in generators, exceptions that pass through them, frames that end early, and tasks that resume one
// another by tail calls, so that a long chain needs no stack.

#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

template <class T> struct Generator {
  struct promise_type {
    T value{};
    std::exception_ptr failure;
    Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T given) {
      value = std::move(given);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Generator(std::coroutine_handle<promise_type> made) : handle(made) {}
  Generator(Generator &&other) : handle(std::exchange(other.handle, {})) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    if (handle.promise().failure) std::rethrow_exception(handle.promise().failure);
    return !handle.done();
  }
  T &value() { return handle.promise().value; }
};

struct Noisy {
  int number;
  explicit Noisy(int n) : number(n) {}
  ~Noisy() { std::printf("~%d ", number); }
};

Generator<int> count(int from, int to) {
  Noisy noisy(from);
  for (int i = from; i < to; i++) {
    if (i == 13) throw std::string("thirteen");
    co_yield i;
  }
}

Generator<std::string> words(int to) {
  try {
    Generator<int> numbers = count(3, to);
    while (numbers.next()) co_yield std::to_string(numbers.value() * 1.5);
  } catch (const std::string &what) {
    std::printf("(%s) ", what.c_str());
    throw static_cast<int>(what.size());
  }
}

struct Task {
  struct promise_type {
    long long result = 0;
    std::coroutine_handle<> waiting = std::noop_coroutine();
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        return ended.promise().waiting;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(long long value) { result = value; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
    handle.promise().waiting = waiting;
    return handle;
  }
  long long await_resume() {
    long long result = handle.promise().result;
    handle.destroy();
    return result;
  }
};

Task twice(long long number, double factor) { co_return static_cast<long long>(static_cast<double>(number) * factor); }

Task sum(long long count) {
  long long total = 0;
  for (long long i = 0; i < count; i++) total += co_await twice(i, 2.0);
  co_return total;
}

int main() {
  for (int to : {3, 6, 12, 20}) {
    try {
      Generator<std::string> all = words(to);
      while (all.next()) std::printf("%s ", all.value().c_str());
      std::printf("end of %d\n", to);
    } catch (int length) {
      std::printf("caught %d\n", length);
    }
  }
  for (int taken = 0; taken < 30; taken++) {
    Generator<int> numbers = count(taken, taken + 5);
    for (int i = 0; i < taken % 5; i++) {
      try {
        std::printf("%d ", numbers.next() ? numbers.value() : -1);
      } catch (const std::string &what) {
        std::printf("%s ", what.c_str());
        break;
      }
    }
    std::printf("left\n");
  }
  Task task = sum(1000000);
  task.handle.resume();
  std::printf("%lld\n", task.handle.promise().result);
  task.handle.destroy();
}
