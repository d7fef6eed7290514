// SVG 1.1 by hand: a few lines, circles and words need no library. Families differ by color (after
// Okabe and Ito), their kernels by marker and dash.
#include "analysis/chart.h"
#include "analysis/words.h"
#include "problem/describe/best_by_size.h"
#include "problem/markup.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace tilestep::analysis {
namespace {

// By family, in the catalog's order: one block, global memory, tiles, strips, several elements per
// thread, near cuBLAS, broken; then kernels without a family.
constexpr std::array<const char*, 8> kColours{"#56767F", "#606060", "#0072B2", "#CC79A7",
                                              "#8A6D00", "#D55E00", "#B00020", "#6A3D9A"};
constexpr const char* kLibrary = "#008A63";
constexpr const char* kBest = "#A000B0";
constexpr const char* kInk = "#202020";
constexpr const char* kDim = "#707070";
constexpr const char* kGrid = "#d8d8d8";
constexpr double kTickWidth = 2.8;  // width of a number along its axis, in font sizes
constexpr double kTickHeight = 1.3;
constexpr std::size_t kMarkers = 5;
// As timing::cublas_series.
constexpr std::array<const char*, 7> kLibraryDashes{"",
                                                    " stroke-dasharray=\"10 4\"",
                                                    "",
                                                    " stroke-dasharray=\"2 3\"",
                                                    " stroke-dasharray=\"14 3 2 3\"",
                                                    " stroke-dasharray=\"6 2\"",
                                                    " stroke-dasharray=\"1 4\""};

class SvgChart {
 public:
  SvgChart(const Chart& chart, int width, int height)
      : chart_(chart), width_(width), height_(height), em_(std::max(10.0, height / 45.0)) {
    left_ = (chart.is_bars ? 20.0 : 6.0) * em_;
    right_ = width - (chart.is_bars ? 12.0 : 18.5) * em_;
    top_ = 4.5 * em_;
    bottom_ = height - 4.0 * em_;
  }

  std::string draw() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"Roboto, Helvetica, Arial, sans-serif\" font-size=\"{2:.1f}\" "
        "fill=\"{3}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width_, height_, em_, kInk);
    words(em_, 1.8 * em_, "start", chart_.title, 1.4);
    words(em_, 3.2 * em_, "start", chart_.note, 0.85);
    if (chart_.is_bars) {
      bars();
    } else {
      axes();
      // Clips everything outside the axes.
      add("<clipPath id=\"plot\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/></clipPath>\n",
          left_, top_, right_ - left_, bottom_ - top_);
      curves();
    }
    return out_ + "</svg>\n";
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void words(double x, double y, const char* anchor, const std::string& text, double size = 1.0,
             const char* colour = kInk) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:.1f}\" "
        "fill=\"{}\">{}</text>\n",
        x, y, anchor, size * em_, colour, markup_escaped(text));
  }

  void line(double x0, double y0, double x1, double y1, const char* colour, double weight) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:.2f}\"/>\n",
        x0, y0, x1, y1, colour, weight);
  }

  static double share(const Axis& axis, double value) {
    return axis.is_log ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                       : (value - axis.low) / (axis.high - axis.low);
  }
  [[nodiscard]] double x(double value) const {
    return left_ + share(chart_.x, value) * (right_ - left_);
  }
  [[nodiscard]] double y(double value) const {
    return bottom_ - share(chart_.y, value) * (bottom_ - top_);
  }

  void axes() {
    for (const double t : ticks_with_room(chart_.x, (right_ - left_) / (kTickWidth * em_))) {
      line(x(t), top_, x(t), bottom_, kGrid, 1.0);
      words(x(t), bottom_ + 1.3 * em_, "middle", tick_text(chart_.x, t));
    }
    for (const double t : ticks_with_room(chart_.y, (bottom_ - top_) / (kTickHeight * em_))) {
      line(left_, y(t), right_, y(t), kGrid, 1.0);
      words(left_ - 0.4 * em_, y(t) + 0.35 * em_, "end", tick_text(chart_.y, t));
    }
    line(left_, top_, left_, bottom_, kInk, 1.5);
    line(left_, bottom_, right_, bottom_, kInk, 1.5);
    words((left_ + right_) / 2, bottom_ + 2.8 * em_, "middle", chart_.x.title);
    add("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
        "</text>\n",
        1.4 * em_, (top_ + bottom_) / 2, markup_escaped(chart_.y.title));
  }

  static const char* colour_of(const Curve& curve) {
    if (curve.role == Role::Library) {
      return curve.kernel == timing::kCublas ? kLibrary : kDim;
    }
    if (curve.kernel == problem::kBestBySize) {
      return kBest;
    }
    return curve.role == Role::Measured ? kColours[curve.family % kColours.size()] : kInk;
  }
  static const char* dash_of(const Curve& curve) {
    return curve.role == Role::Predicted || curve.role == Role::Ceiling
               ? " stroke-dasharray=\"8 5\""
           : curve.role == Role::Drawn || curve.is_overlay ? " stroke-dasharray=\"2 4\""
           : curve.role == Role::Library ? kLibraryDashes[curve.style % kLibraryDashes.size()]
           : curve.style >= kMarkers     ? " stroke-dasharray=\"12 3\""
                                         : "";
  }

  void marker(const Curve& curve, double at_x, double at_y, bool hollow = false) {
    const double r = 0.32 * em_;
    const char* colour = colour_of(curve);
    const char* fill = hollow ? "white" : colour;
    switch (curve.style % kMarkers) {
      case 0:
        add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>\n", at_x,
            at_y, r, fill, colour);
        return;
      case 1:
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"{}\"/>\n",
            at_x - r, at_y - r, 2 * r, 2 * r, fill, colour);
        return;
      case 2:
        add("<path d=\"M{:.1f} {:.1f}l{r:.1f} {r:.1f} -{r:.1f} {r:.1f} -{r:.1f} -{r:.1f}z\" "
            "fill=\"{}\" stroke=\"{}\"/>\n",
            at_x, at_y - r, fill, colour, fmt::arg("r", r));
        return;
      case 3:
        triangle(at_x, at_y, r, fill, colour);
        return;
      default:
        triangle(at_x, at_y, -r, fill, colour);
    }
  }

  // Its point up; down for a negative r.
  void triangle(double at_x, double at_y, double r, const char* fill, const char* colour) {
    add("<path d=\"M{:.1f} {:.1f}l{r:.1f} {h:.1f} {w:.1f} 0z\" fill=\"{}\" stroke=\"{}\"/>\n", at_x,
        at_y - r, fill, colour, fmt::arg("r", r), fmt::arg("h", 2 * r), fmt::arg("w", -2 * r));
  }

  void curve_line(const Curve& curve) {
    std::string points;
    for (const Mark& mark : curve.marks) {
      points += fmt::format("{:.1f},{:.1f} ", x(mark.x), y(mark.y));
    }
    if (curve.role == Role::Library && curve.marks.size() == 1) {
      points = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", left_, y(curve.marks.front().y), right_,
                           y(curve.marks.front().y));
    }
    add("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "clip-path=\"url(#plot)\"{}/>\n",
        points, colour_of(curve), curve.kernel == problem::kBestBySize ? 5 : 2, dash_of(curve));
  }

  void curves() {
    for (const Curve& curve : chart_.curves) {
      if (curve.marks.empty()) {
        continue;
      }
      curve_line(curve);
      for (const Mark& mark : curve.role == Role::Measured ? curve.marks : std::vector<Mark>{}) {
        const bool hollow = chart_.is_roofline && &mark != &curve.marks.front();
        line(x(mark.x), y(mark.y - mark.below), x(mark.x), y(mark.y + mark.above), colour_of(curve),
             1.0);
        marker(curve, x(mark.x), y(mark.y), hollow);
      }
    }
    labels();
  }

  // Labels at the lines' ends, at the same height if there is room.
  void labels() {
    std::vector<const Curve*> named;
    std::vector<double> wanted;
    for (const Curve& curve : chart_.curves) {
      if (!curve.marks.empty()) {
        named.push_back(&curve);
        wanted.push_back(y(end_of(curve).y));
      }
    }
    const double height = std::min(
        1.3 * em_, (bottom_ - top_) / static_cast<double>(std::max<std::size_t>(named.size(), 1)));
    const std::vector<double> places = spread_labels(wanted, height, top_, bottom_);
    for (std::size_t i = 0; i < named.size(); ++i) {
      const Curve& curve = *named[i];
      line(std::min(x(end_of(curve).x), right_), wanted[i], right_ + 1.2 * em_, places[i],
           colour_of(curve), 0.5);
      if (curve.role == Role::Measured) {
        marker(curve, right_ + 1.8 * em_, places[i]);
      }
      words(right_ + 2.4 * em_, places[i] + 0.3 * height, "start",
            curve.name + (curve.is_wrong ? tr(", wrong result") : "") + "  " + curve.end,
            std::min(0.9, 0.75 * height / em_), colour_of(curve));
    }
  }
  [[nodiscard]] const Mark& end_of(const Curve& curve) const {
    return chart_.is_roofline && curve.role == Role::Measured ? curve.marks.front()
                                                              : curve.marks.back();
  }

  void bars() {
    const double rows = std::max(1.0, static_cast<double>(chart_.curves.size()));
    const double step = (bottom_ - top_) / rows;
    double row = bottom_ - step / 2;
    const double thick = 0.6 * step;
    for (const Curve& curve : chart_.curves) {
      const Mark& mark = curve.marks.front();
      words(left_ - 0.5 * em_, row + 0.35 * em_, "end",
            curve.name + (curve.is_wrong ? tr(", wrong result") : ""), 0.9);
      const double end = left_ + std::clamp(share(chart_.y, mark.y), 0.0, 1.0) * (right_ - left_);
      add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          left_, row - thick / 2, std::max(1.0, end - left_), thick, colour_of(curve));
      const Mark& best = curve.marks.back();
      std::string text = speed_text(chart_.y, mark.y);
      double text_x = end;
      if (best.y > mark.y) {
        text_x = left_ + share(chart_.y, best.y) * (right_ - left_);
        line(end, row, text_x, row, kDim, 1.0);
        line(text_x, row - thick / 2, text_x, row + thick / 2, kInk, 2.0);
        text += tr("  best {} at {}", speed_text(chart_.y, best.y), best.block_size);
      }
      words(text_x + 0.4 * em_, row + 0.35 * em_, "start", text, 0.9);
      row -= step;
    }
    words((left_ + right_) / 2, bottom_ + 1.6 * em_, "middle", chart_.y.title);
  }

  const Chart& chart_;
  int width_, height_;
  double em_, left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  std::string out_;
};

constexpr Message kL1AndShared = "L1 and shared memory";

constexpr double kLowestIntensity = 0.05;
constexpr double kHighestIntensity = 200.0;

Mark corner(double intensity, double gflops) {
  Mark mark;
  mark.x = intensity;
  mark.y = gflops;
  mark.gflops = gflops;
  return mark;
}

// The limit of this bandwidth rises with the intensity, to `top` in GFLOP/s.
void add_ceiling(const Message& what, double gb_s, double top, Chart& chart) {
  if (gb_s <= 0.0 || top <= 0.0) {
    return;
  }
  Curve curve;
  curve.role = Role::Ceiling;
  curve.name = fmt::format("{} {:.1f} TB/s", what, gb_s / 1e3);
  curve.english = fmt::format("{} {:.1f} TB/s", what.english, gb_s / 1e3);
  curve.marks = {corner(kLowestIntensity, kLowestIntensity * gb_s), corner(top / gb_s, top)};
  chart.curves.push_back(std::move(curve));
}

void add_peak(const GpuModel& gpu, Chart& chart) {
  if (gpu.peak_gflops <= 0.0) {
    return;
  }
  Curve curve;
  curve.role = Role::Ceiling;
  curve.name = tr("FFMA peak {:.1f} TFLOP/s", gpu.peak_gflops / 1e3);
  curve.english = fmt::format("FFMA peak {:.1f} TFLOP/s", gpu.peak_gflops / 1e3);
  const double fastest = std::max({gpu.shared_gb_s, gpu.l2_gb_s, gpu.dram_gb_s, 1.0});
  curve.marks = {corner(gpu.peak_gflops / fastest, gpu.peak_gflops),
                 corner(kHighestIntensity, gpu.peak_gflops)};
  chart.curves.push_back(std::move(curve));
}

double bytes_of_global(const insight::Cost& cost) {
  return kSectorBytes * static_cast<double>(cost.global().sectors);
}

double bytes_of_l1(const insight::Cost& cost) {
  return bytes_of_global(cost) + kWavefrontBytes * static_cast<double>(cost.shared().wavefronts);
}

// First the traffic through L1 and shared memory, then its global part.
Curve kernel_point(const ChartRequest& request, const LaunchFacts& facts,
                   const timing::Point& point) {
  Curve curve = new_curve(request, 0, facts.kernel);
  curve.marks.push_back(measured_mark(point, facts.flops / bytes_of_l1(facts.cost), 1.0));
  const double global = bytes_of_global(facts.cost);
  if (global > 0.0) {
    curve.marks.push_back(measured_mark(point, facts.flops / global, 1.0));
  }
  return curve;
}

// Facts of the shown kernels, in the catalog's order: launches are counted in any order.
std::vector<const LaunchFacts*> counted_in_order(const ChartRequest& request,
                                                 const problem::Parameters& parameters) {
  std::vector<const LaunchFacts*> all;
  for (const KernelName& name : request.names) {
    for (const int block_size : {parameters.block_size, 0}) {  // 0: a kernel without one
      const LaunchFacts* const facts = find_facts(
          request.facts, name.id, {parameters.problem, block_size}, request.gpu.architecture);
      if (facts != nullptr && facts->why_not.empty() && is_shown(request, name.id) &&
          !request.view.guess.hides(name.id)) {
        all.push_back(facts);
      }
    }
  }
  return all;
}

}  // namespace

std::string to_svg(const Chart& chart, int width, int height) {
  return SvgChart(chart, width, height).draw();
}

// The roofline (Williams, Waterman, Patterson 2009): speed over operations per byte moved, and the
// ceilings of the GPU. Traffic is counted, time is measured.

Chart roofline(const ChartRequest& request) {
  Chart chart;
  const problem::Parameters parameters{request.view.problem, request.block_size};
  chart.is_roofline = true;
  chart.title = tr("Roofline at BLOCK_SIZE {}", request.block_size);
  const GpuModel& gpu = request.gpu;
  const state::RooflinePart last = request.view.roofline;
  const bool has_kernels = last == state::RooflinePart::Kernels;
  chart.note =
      has_kernels
          ? tr("filled: bytes through L1 and shared memory · hollow: bytes of global-memory "
               "sectors · counted traffic, measured time · ceilings {}",
               gpu.source)
          : tr("ceilings {}", gpu.source);
  chart.x = {tr("floating-point operations per byte"),
             true,
             kLowestIntensity,
             kHighestIntensity,
             {0.1, 0.25, 1, 4, 16, 64}};
  std::vector<Curve> points;
  double slowest = gpu.peak_gflops > 0.0 ? gpu.peak_gflops : 1.0;
  for (const LaunchFacts* const facts : counted_in_order(request, parameters)) {
    const timing::Point* point =
        request.datasets.empty() ? nullptr
                                 : request.datasets.front()->find(facts->kernel, parameters.problem,
                                                                  facts->parameters.block_size);
    if (point != nullptr && !point->samples_ms.empty()) {
      points.push_back(kernel_point(request, *facts, *point));
      slowest = std::min(slowest, points.back().marks.front().y);
    }
  }
  // The same axis for each part, so that a lesson can draw one after the other.
  chart.y = {"GFLOP/s",
             true,
             std::min(0.5 * slowest, 1e-2 * gpu.peak_gflops),
             1.8 * std::max(gpu.peak_gflops, slowest),
             {}};
  const bool has_peak = last != state::RooflinePart::Memory;
  const double top = has_peak ? gpu.peak_gflops : chart.y.high;
  add_ceiling(kL1AndShared, gpu.shared_gb_s, top, chart);
  add_ceiling("L2", gpu.l2_gb_s, top, chart);
  add_ceiling("DRAM", gpu.dram_gb_s, top, chart);
  if (has_peak) {
    add_peak(gpu, chart);
  }
  if (has_kernels) {
    std::ranges::move(points, std::back_inserter(chart.curves));
  }
  name_ends(request, chart);
  return chart;
}

std::string to_csv(const Chart& chart) {
  std::string out =
      "curve,kind,data_set,kernel,M,N,K,block_size,x,y,gflops,median_ms,q1_ms,q3_ms,samples,"
      "launched\n";
  for (const Curve& curve : chart.curves) {
    for (const Mark& mark : curve.marks) {
      const std::string problem = mark.point == nullptr
                                      ? ",,"
                                      : fmt::format("{},{},{}", mark.point->problem.M,
                                                    mark.point->problem.N, mark.point->problem.K);
      const std::string times =
          mark.point == nullptr
              ? ",,,"
              : fmt::format("{},{},{},{}", mark.statistics.median_ms, mark.statistics.q1_ms,
                            mark.statistics.q3_ms, mark.statistics.samples);
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\n",
                     timing::csv_cell(curve.english), word_of(curve.role).file,
                     timing::csv_cell(curve.dataset), curve.kernel, problem, mark.block_size,
                     mark.x, mark.y, mark.gflops, times,
                     curve.kernel == problem::kBestBySize ? stage_kernel(*mark.point) : "");
    }
  }
  return out;
}

}  // namespace tilestep::analysis
