// Parts of the library that catch and throw.
#include <any>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

template <typename F> void attempt(const char *name, F body) {
    try {
        body();
        std::cout << name << ": done\n";
    } catch (const std::regex_error &error) {
        std::cout << name << ": regex " << error.code() << "\n";
    } catch (const std::system_error &error) {
        std::cout << name << ": system " << error.code().value() << "\n";
    } catch (const std::out_of_range &) {
        std::cout << name << ": out of range\n";
    } catch (const std::logic_error &) {
        std::cout << name << ": logic\n";
    } catch (const std::exception &error) {
        std::cout << name << ": " << typeid(error).name() << "\n";
    }
}

struct Counted {
    static std::atomic<int> live;
    int n;
    Counted(int n) : n(n) { live++; }
    Counted(const Counted &o) : n(o.n) {
        if (n == 13)
            throw std::runtime_error("copy of 13");
        live++;
    }
    Counted &operator=(const Counted &) = default;
    ~Counted() { live--; }
};
std::atomic<int> Counted::live;

struct Failing : std::streambuf {
    int overflow(int) override { throw std::runtime_error("full"); }
};

int main() {
    std::ios::sync_with_stdio(false);
    attempt("at", [] { std::vector<int> v(3); v.at(5) = 1; });
    attempt("stoi", [] { std::cout << std::stoi("12x") << "\n"; std::stoi("x"); });
    attempt("substr", [] { std::string("abc").substr(9); });
    attempt("map", [] { std::map<std::string, int> m{{"a", 1}}; m.at("b"); });
    attempt("length", [] { std::string s; s.reserve(std::string::npos); });
    attempt("any", [] { std::any a = 5; std::any_cast<std::string>(a); });
    attempt("optional", [] { std::optional<int> o; o.value(); });
    attempt("variant", [] { std::variant<int, double> v = 1; std::get<double>(v); });
    attempt("function", [] { std::function<int(int)> f; f(1); });
    attempt("weak", [] { std::weak_ptr<int> w; std::shared_ptr<int> s(w); });
    attempt("copies", [] {
        std::vector<Counted> v;
        for (int n = 10; n < 14; n++)
            v.push_back(Counted(n));
    });
    attempt("fill", [] { Counted thirteen(13); std::vector<Counted> v(3, thirteen); });
    std::cout << "live " << Counted::live << "\n";
    attempt("stream", [] {
        Failing failing;
        std::ostream out(&failing);
        out << "quiet";
        std::cout << "bad " << out.bad() << "\n";
        out.clear();
        out.exceptions(std::ios::badbit);
        out << "loud";
    });
    attempt("regex", [] {
        std::regex words("(\\w+)@(\\w+)\\.com");
        std::string text = "joe@example.com, ann@test.com; nobody";
        for (std::sregex_iterator it(text.begin(), text.end(), words), end; it != end; ++it)
            std::cout << (*it)[1] << " at " << (*it)[2] << "\n";
        std::cout << std::regex_replace(text, words, "<$2>") << "\n";
        std::regex broken("(a");
    });
    attempt("files", [] {
        namespace fs = std::filesystem;
        fs::path dir = fs::temp_directory_path() / ("ice-exceptions-" + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
        fs::create_directories(dir / "a" / "b");
        std::ofstream(dir / "a" / "file") << "hello";
        std::set<std::string> names;
        for (auto &entry : fs::recursive_directory_iterator(dir))
            names.insert(fs::relative(entry.path(), dir).string());
        for (auto &name : names)
            std::cout << name << "\n";
        std::cout << fs::file_size(dir / "a" / "file") << " " << fs::remove_all(dir) << "\n";
        fs::file_size(dir / "nothing");
    });
    attempt("future", [] {
        auto good = std::async(std::launch::async, [] { return 6 * 7; });
        auto bad = std::async(std::launch::async, []() -> int { throw std::out_of_range("thread"); });
        std::cout << good.get() << "\n";
        bad.get();
    });
    attempt("promise", [] { std::promise<int> p; p.set_value(1); p.set_value(2); });
    std::mutex mutex;
    std::map<int, int> caught;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([t, &mutex, &caught] {
            for (int n = 0; n < 200; n++) {
                try {
                    std::lock_guard<std::mutex> lock(mutex);
                    if (n % 3 == 0)
                        throw t * 1000 + n;
                } catch (int i) {
                    std::lock_guard<std::mutex> lock(mutex);
                    caught[i / 1000] += i % 1000;
                }
            }
        });
    for (auto &thread : threads)
        thread.join();
    for (auto [t, sum] : caught)
        std::cout << t << " " << sum << "\n";
    std::exception_ptr kept;
    try {
        std::ostringstream out;
        out << "kept " << 5;
        std::throw_with_nested(std::runtime_error(out.str()));
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (std::runtime_error &error) {
        std::cout << error.what() << std::endl;
    }
    std::unordered_map<std::string, std::unique_ptr<Counted>> owners;
    try {
        for (int n = 0;; n++) {
            owners["key " + std::to_string(n % 17)] = std::make_unique<Counted>(n);
            if (n == 400)
                throw owners.size();
        }
    } catch (std::size_t size) {
        std::cout << size << " " << Counted::live << std::endl;
    }
    return (int) owners.size();
}
