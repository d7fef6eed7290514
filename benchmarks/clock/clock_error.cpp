// The error of the SM's model against launches that Nsight Compute has measured
// (docs/reports/clock.md).
//
//   clock_error TABLE.json LAUNCHES.json [--fit SECONDS] [--half fitted|held] [--only TEXT]
//               [--states] [NAME=VALUE…]
//
// Runs each launch's busiest SM, prints a line for each and the quartiles of the errors, by half.
// NAME=VALUE replaces a number of the table. --fit tries other values of the numbers that are named
// with ranges (NAME=FROM:TO:STEP) and prints those with the smallest error of the fitted half.
#include "catalog_launch.h"
#include "clock/estimate.h"
#include "folders.h"
#include "kept_outputs.h"
#include "loading/prepare.h"
#include "problem/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilestep {
namespace {

using nlohmann::json;

std::string name_of(std::size_t state) {
  return std::string(word_of(static_cast<clock::WarpState>(state)).file);
}

struct Measured {
  json point;
  bool is_fitted = false;
  std::unique_ptr<clock::TimedLaunch> launch;
  double clocks = 0.0;  // measured
  double scale = 1.0;   // of predicted clocks, for the mean number of blocks of an SM
  std::string why_not;
  clock::SmRun run;
  double error = 0.0;
};

std::string name_of(const json& point) {
  return fmt::format("{} {} {}", point["kernel"].get<std::string>(), point["M"].get<int>(),
                     point["block_size"].get<int>());
}

void prepare(Measured& one, compile::Compiler& compiler, const clock::SmTable& table) {
  const json& p = one.point;
  problem::Launch launch = test::launch_of(p["kernel"], {p["M"], p["N"], p["K"]},
                                           std::max(p["block_size"].get<int>(), 1));
  loading::PrepareOptions options;
  options.build = compile::Build::Machine;
  options.contents = problem::BufferContents::Zero;
  auto prepared = loading::prepare(compiler, std::move(launch), options);
  if (!prepared) {
    one.why_not = prepared.error().error.message;
    return;
  }
  auto timed = clock::TimedLaunch::make(*prepared, table);
  if (!timed) {
    one.why_not = timed.error().message;
    return;
  }
  one.launch = std::make_unique<clock::TimedLaunch>(std::move(*timed));
  const double blocks = p["blocks"].get<double>() / table.sms;
  one.clocks = p[blocks >= 16 ? "clocks_mean" : "clocks_busiest"].get<double>();
  one.scale = blocks >= 16 ? blocks / std::ceil(blocks) : 1.0;  // of the mean
}

void run(Measured& one, const clock::SmTable& table) {
  clock::EstimateOptions options;
  options.extent = clock::Extent::Sm;
  options.records = false;
  auto result = one.launch->run(table, options);
  if (!result) {
    one.why_not = result.error().message;
    one.launch = nullptr;
    return;
  }
  one.run = std::move(*result);
  one.error = static_cast<double>(one.run.clocks) * one.scale / one.clocks - 1.0;
}

template <class F>
void for_each_in_parallel(std::vector<Measured>& all, F&& f) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < std::max(2U, std::thread::hardware_concurrency()); ++k) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < all.size(); i = next++) {
        f(all[i]);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0.0;
  }
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

void print_states(const Measured& one) {
  const json& states = one.point["states"];
  const auto issued = static_cast<double>(one.run.instructions);
  fmt::print("    {:5.1f}/{:5.1f}", one.point["warp_latency"].get<double>(),
             static_cast<double>(one.run.warp_clocks) / issued);
  for (std::size_t s = 0; s < clock::kWarpStates; ++s) {
    fmt::print(" {} {:.1f}/{:.1f}", name_of(s), states.value(name_of(s), 0.0),
               static_cast<double>(one.run.by_state[s]) / issued);
  }
  for (const char* other : {"no_instruction", "drain", "imc_miss"}) {
    fmt::print(" {} {:.1f}", other, states.value(other, 0.0));
  }
  fmt::print("\n");
}

// Instructions with their share of the warps' clocks.
void print_code(const Measured& one) {
  const auto& code = one.launch->tracer().code();
  for (std::size_t i = 0; i < code.size(); ++i) {
    const clock::StateClocks& clocks = one.run.by_instruction[i];
    if (clocks[0] == 0) {
      continue;
    }
    fmt::print("  {:4} {:<52} {:>9}", i, code[i].text, clocks[0]);
    for (std::size_t s = 1; s < clock::kWarpStates; ++s) {
      const double each = static_cast<double>(clocks[s]) / static_cast<double>(clocks[0]);
      if (each >= 0.05) {
        fmt::print(" {} {:.1f}", name_of(s), each);
      }
    }
    fmt::print("\n");
  }
}

void print(const std::vector<Measured>& all, const clock::SmTable& table, bool with_states,
           bool with_code) {
  std::map<std::string, std::vector<double>> errors;
  for (const Measured& one : all) {
    if (one.launch == nullptr) {
      fmt::print("{:<36} {}\n", name_of(one.point), one.why_not);
      continue;
    }
    const json& ncu = one.point;
    const double per_sm = 1.0 / table.sms;
    const auto counted = static_cast<double>(one.run.instructions) * one.scale;
    fmt::print(
        "{:<36} {} blocks {:6.2f} at once {:2} {:>9} {:>9} {:+6.1f}%  inst {:+5.1f}% passes "
        "{:+5.1f}% l1 {:.2f}/{:.2f}\n",
        name_of(one.point), one.is_fitted ? "f" : "h", ncu["blocks"].get<double>() * per_sm,
        one.launch->occupancy().blocks, one.run.clocks, static_cast<std::int64_t>(one.clocks),
        100.0 * one.error, 100.0 * (counted / (ncu["instructions"].get<double>() * per_sm) - 1.0),
        100.0 * (static_cast<double>(one.run.passes) * one.scale /
                     (ncu["wavefronts"].get<double>() * per_sm) -
                 1.0),
        static_cast<double>(one.run.l1_hits) / std::max(1.0, static_cast<double>(one.run.sectors)),
        ncu["l1_hits"].get<double>() / std::max(1.0, ncu["sectors"].get<double>()));
    if (with_states) {
      print_states(one);
    }
    if (with_code) {
      print_code(one);
    }
    for (const std::string& group :
         {std::string(one.is_fitted ? "fitted" : "held out"), std::string("all"),
          fmt::format("M {}", one.point["M"].get<int>()),
          fmt::format("BLOCK_SIZE {}", one.point["block_size"].get<int>()),
          "  " + one.point["kernel"].get<std::string>()}) {
      errors[group].push_back(one.error);
    }
  }
  for (const auto& [group, values] : errors) {
    std::vector<double> sizes;
    for (const double v : values) {
      sizes.push_back(std::abs(v));
    }
    fmt::print("{:<30} {:4}  signed median {:+6.1f}%  |median| {:5.1f}%  9/10 {:5.1f}%\n", group,
               values.size(), 100 * quantile(values, 0.5), 100 * quantile(sizes, 0.5),
               100 * quantile(sizes, 0.9));
  }
}

// What a fit makes small: mean and ninth decile of the errors, and the states' distance.
double badness(const std::vector<Measured>& all) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const Measured& one : all) {
    if (one.launch == nullptr || !one.is_fitted) {
      continue;
    }
    sum += std::min(std::abs(one.error), 0.5);
    const json& states = one.point["states"];
    const double latency = one.point["warp_latency"].get<double>();
    double off = 0.0;
    for (std::size_t s = 0; s < clock::kWarpStates; ++s) {
      const double ours =
          static_cast<double>(one.run.by_state[s]) / static_cast<double>(one.run.instructions);
      off += std::abs(ours - states.value(name_of(s), 0.0));
    }
    sum += 0.1 * off / latency;
    ++count;
  }
  return sum / static_cast<double>(count);
}

struct Range {
  double clock::SmNumbers::*number = nullptr;
  std::string name;
  double from = 0;
  double to = 0;
  double step = 0;
};

void fit(std::vector<Measured>& all, clock::SmTable& table, const std::vector<Range>& ranges,
         double seconds) {
  std::mt19937 random(1);  // NOLINT
  const auto start = std::chrono::steady_clock::now();
  const auto measure = [&] {
    for_each_in_parallel(all, [&](Measured& one) {
      if (one.launch != nullptr && one.is_fitted) {
        run(one, table);
      }
    });
    return badness(all);
  };
  double best = measure();
  fmt::print("start {:.4f}\n", best);
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    const clock::SmNumbers before = table.numbers;
    const std::size_t changes = 1 + random() % 2;
    for (std::size_t c = 0; c < changes; ++c) {
      const Range& range = ranges[random() % ranges.size()];
      double& value = table.numbers.*range.number;
      const double by =
          (random() % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(random() % 3)) * range.step;
      value = std::clamp(value + by, range.from, range.to);
    }
    const double now = measure();
    if (now < best) {
      best = now;
      fmt::print("{:.4f}", best);
      for (const Range& range : ranges) {
        fmt::print(" {}={:g}", range.name, table.numbers.*range.number);
      }
      fmt::print("\n");
      std::fflush(stdout);
    } else {
      table.numbers = before;
    }
  }
}

int main_of(const std::vector<std::string>& words) {
  auto table = clock::read_sm_table(problem::read_file(words.at(0)).value());
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().message);
    return 2;
  }
  const json points = json::parse(problem::read_file(words.at(1)).value());
  std::string only;
  std::string half;
  double seconds = 0.0;
  bool with_states = false;
  bool with_code = false;
  std::vector<Range> ranges;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--only") {
      only = words.at(++i);
    } else if (words[i] == "--half") {
      half = words.at(++i);
    } else if (words[i] == "--fit") {
      seconds = std::stod(words.at(++i));
    } else if (words[i] == "--states") {
      with_states = true;
    } else if (words[i] == "--code") {
      with_code = true;
    } else {
      const std::size_t equal = words[i].find('=');
      const std::string name = words[i].substr(0, equal);
      const auto fields = clock::sm_fields();
      const auto field = std::ranges::find(fields, name, &clock::SmField::name);
      if (equal == std::string::npos || field == fields.end()) {
        fmt::print(stderr, "{}: no number of the table\n", words[i]);
        return 2;
      }
      Range range{field->number, name};
      std::vector<double> numbers;
      for (const char* at = words[i].c_str() + equal; *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(std::strtod(at + 1, &end));  // behind '=' or ':'
        at = end;
      }
      const bool is_range = numbers.size() == 3;
      range.from = numbers.front();
      if (is_range) {
        range.to = numbers[1];
        range.step = numbers[2];
        ranges.push_back(range);
      } else {
        table->numbers.*field->number = range.from;
      }
    }
  }
  std::vector<Measured> all;
  for (const json& point : points.at("points")) {
    Measured one;
    one.point = point;
    const auto& fitted = points.at("fitted");
    one.is_fitted = std::ranges::find(fitted, point["kernel"]) != fitted.end();
    const std::regex pattern(only);
    if ((half.empty() || (half == "fitted") == one.is_fitted) &&
        std::regex_search(name_of(point), pattern)) {
      all.push_back(std::move(one));
    }
  }
  for_each_in_parallel(all, [&](Measured& one) {
    thread_local compile::Compiler compiler(test::kept_outputs());
    prepare(one, compiler, *table);
    if (one.launch != nullptr && seconds == 0.0) {
      run(one, *table);
      if (one.launch != nullptr) {
        one.launch->forget();
      }
    }
  });
  if (seconds > 0.0) {
    fit(all, *table, ranges, seconds);
  }
  print(all, *table, with_states, with_code);
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int count, char** words) {
  return tilestep::main_of({words + 1, words + count});
}
