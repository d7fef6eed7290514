// Private to the room: builds the sentence of one statement of one block, as one thread sees it.
#pragma once

#include "insight/check/finding.h"
#include "insight/names.h"
#include "narration/block_run.h"
#include "narration/templates.h"
#include "narration/thread_view.h"
#include "simt/exec/executors.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::narration {

// A block of a recording, with the data for its sentences.
struct NarratedBlock {
  const record::Recording& recording;
  const SourceMap& source;
  const BlockRun& run;
  Roles roles;
  std::uint32_t block;
};

// The statement that is narrated: the states before and after it, and what it did.
struct NarratedStatement {
  const record::State* before = nullptr;
  const record::State& after;
  const record::Activity& activity;
  std::uint32_t thread = 0;  // focus
  std::span<const insight::Finding> findings;
};

// One lane's access.
struct LaneTouch {
  std::uint64_t address = 0;
  std::uint32_t bytes = 4;
  std::uint64_t step = 0;
  std::uint32_t thread = 0;
  std::uint32_t allocation = simt::kNoAllocation;
  simt::AccessKind kind = simt::AccessKind::Load;
  bool shared = false;
  bool is_issue = false;
  bool is_arrival = false;
};

// All accesses of the block to one array.
struct Group {
  std::uint32_t allocation = simt::kNoAllocation;
  simt::AccessKind kind = simt::AccessKind::Load;
  bool shared = false;
  bool is_issue = false;
  bool is_arrival = false;
  std::string array;  // "As", "As[1]"
  std::uint32_t threads = 0;
  std::uint64_t numbers = 0;  // elements, as often as they are requested
  std::uint64_t distinct = 0;
  Box box;
};

class NarrationBuilder {
 public:
  NarrationBuilder(const NarratedBlock& narrated, const NarratedStatement& statement);

  [[nodiscard]] Sentence sentence();
  [[nodiscard]] std::vector<Sentence> notes();
  [[nodiscard]] std::vector<Guide> guides() const;
  [[nodiscard]] std::string pass() const;
  [[nodiscard]] std::string lanes_off() const;

 private:
  // narration_builder.cpp
  void collect_executed();
  void collect_touches();
  void add_lane(const record::Access& access, std::uint32_t lane);
  [[nodiscard]] Sentence ordinary();
  [[nodiscard]] std::optional<Sentence> event();
  [[nodiscard]] Sentence idle() const;
  [[nodiscard]] Sentence goes_on() const;
  [[nodiscard]] std::optional<Sentence> calls() const;
  [[nodiscard]] const simt::Program& program() const { return narrated_.recording.program(); }
  [[nodiscard]] const problem::Launch& launch() const { return program().launch(); }
  [[nodiscard]] Pieces thread_name(std::uint32_t thread) const;
  [[nodiscard]] Pieces who() const { return thread_name(subject_); }
  [[nodiscard]] Pieces array(const Group& group) const;
  [[nodiscard]] Pieces place(const LaneTouch& touch) const;
  [[nodiscard]] Pieces value(const LaneTouch& touch) const;
  // The number of each element that it accesses.
  [[nodiscard]] Pieces each_number(
      const LaneTouch& touch,
      const std::function<std::optional<Number>(const LaneTouch&)>& number_of) const;
  [[nodiscard]] std::optional<Number> number(const LaneTouch& touch) const;
  [[nodiscard]] Hue hue(std::uint32_t allocation) const;
  [[nodiscard]] bool takes_part(std::uint32_t thread) const { return executed_[thread]; }
  [[nodiscard]] const LaneTouch* own(simt::AccessKind kind, std::optional<bool> shared = {},
                                     bool issue = false, bool arrival = false) const;
  [[nodiscard]] std::vector<const LaneTouch*> all_own(simt::AccessKind kind) const;
  [[nodiscard]] const Group* group_of(const LaneTouch& touch) const;
  [[nodiscard]] const SourceStatement* here(StatementKind kind) const;
  [[nodiscard]] int statement_here(StatementKind kind) const;

  // narration_builder_memory.cpp
  [[nodiscard]] Sentence store_shared(const LaneTouch& store);
  [[nodiscard]] Sentence store_global(const LaneTouch& store);
  [[nodiscard]] Sentence load(const LaneTouch& load);
  [[nodiscard]] static Sentence alone(Kind kind, Say row, const Places& places,
                                      std::uint32_t threads);
  [[nodiscard]] bool is_shared(const Expression& element) const;
  [[nodiscard]] Sentence copies_start(const LaneTouch& copy);
  [[nodiscard]] Sentence copies_land(const LaneTouch& copy);
  [[nodiscard]] Sentence atomic(const LaneTouch& update);
  [[nodiscard]] std::uint64_t zeros(const Group& group) const;
  [[nodiscard]] std::optional<Sentence> cost(simt::AccessKind kind);

  // narration_builder_sums.cpp
  struct Change {
    const Assignment* assignment = nullptr;
    std::optional<Number> before;
    std::optional<Number> after;
    std::string target;   // its name: "acc[1][2]"
    bool is_new = false;  // another value than before
  };
  [[nodiscard]] std::optional<Change> change() const;
  [[nodiscard]] bool stores_to(std::uint64_t address) const;
  // "s[2] = 3 + 5 = 8" for a store that computes; empty if it only copies a value.
  [[nodiscard]] std::optional<Pieces> computed_store() const;
  [[nodiscard]] std::optional<Sentence> store_by_equation(Kind kind, const Group* to) const;
  [[nodiscard]] std::string target_text(const Expression& target) const;
  // "6·9": the added product, in numbers.
  [[nodiscard]] std::optional<Pieces> factors(const Change& change) const;
  [[nodiscard]] std::optional<Sentence> product(const Change& change);
  [[nodiscard]] Sentence assigned(const Change& change);
  [[nodiscard]] std::optional<Sentence> whole_number(const Change& change);
  [[nodiscard]] Sentence not_a_number(const Change& change);
  // narration_builder_index.cpp
  struct Reached {
    Element element;
    std::int64_t value = 0;  // of the variable
  };
  struct Meaning {
    bool is_known = false;
    bool is_line = false;    // the element's row or column
    bool is_number = false;  // the element's linear index in the buffer, row by row
    std::uint32_t buffer = 0;
  };
  [[nodiscard]] std::optional<Reached> reached(std::uint32_t thread, const std::string& name,
                                               const SourceStatement& s) const;
  [[nodiscard]] Meaning meaning(const std::string& name, const SourceStatement& s,
                                Guide::Axis axis) const;
  template <class F>
  void for_each_use(const std::string& name, F&& f) const;
  [[nodiscard]] std::optional<Sentence> beyond(const Change& change, const Places& places) const;
  [[nodiscard]] std::optional<Sentence> element_number(const Change& change,
                                                       const Places& places) const;
  [[nodiscard]] std::optional<Sentence> compensated(const Change& change);
  [[nodiscard]] std::optional<Sentence> shuffled(const Change& change);
  [[nodiscard]] Pieces what_is_read(const Group& group) const;

  // narration_builder_control.cpp
  enum class LoopKind : std::uint8_t { Plain, Tiles, Products, Steps };
  struct Passes {
    std::int64_t value = 0;
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t number = 0;  // 1-based
    std::int64_t count = 0;
    std::string variable;
    std::string condition;  // of its start: "6 < 6"
  };
  // A pass: the steps between two visits of the loop's head by the subject's warp.
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  // `at_start`: the counter has its first value, whether or not it can be read.
  [[nodiscard]] std::optional<Passes> passes(int loop, const ThreadView& view,
                                             bool at_start = false) const;
  [[nodiscard]] std::vector<Span> spans(int loop, std::uint32_t warp) const;
  [[nodiscard]] std::uint32_t warp_of(std::uint32_t thread) const {
    return thread / program().warp_size();
  }
  [[nodiscard]] std::uint32_t own_warp() const { return warp_of(subject_); }
  [[nodiscard]] std::uint32_t own_lane() const { return subject_ % program().warp_size(); }
  [[nodiscard]] LoopKind kind_of(int loop) const;
  [[nodiscard]] Passes of_nest(int inner, Passes p) const;
  [[nodiscard]] bool picks_sum(int loop) const;
  [[nodiscard]] Sentence loop(int index);
  [[nodiscard]] Sentence uncounted_pass(const SourceStatement& s, const std::vector<Span>& all,
                                        std::size_t at) const;
  [[nodiscard]] static bool counts_otherwise(const Passes& p);
  [[nodiscard]] Sentence tile_pass(int loop, const Passes& p, std::size_t ordinal) const;
  [[nodiscard]] bool loads_ahead(int loop) const;
  [[nodiscard]] Sentence product_pass(const Passes& p, const Span& span) const;
  [[nodiscard]] Sentence loop_end(int index) const;
  [[nodiscard]] std::optional<Pieces> why_over(const SourceStatement& s) const;
  [[nodiscard]] Sentence guard(int index);
  [[nodiscard]] bool goes_in(std::uint32_t thread, const SourceStatement& s, int index) const;
  [[nodiscard]] bool stores_result(int index) const;
  [[nodiscard]] Sentence enter(int index);
  [[nodiscard]] Sentence leave(int index);
  [[nodiscard]] Sentence returns(const SourceStatement& statement);
  [[nodiscard]] std::optional<Sentence> masked();

  // narration_builder_events.cpp
  [[nodiscard]] std::optional<Sentence> barrier();
  [[nodiscard]] Sentence met(const Meeting& meeting, Places places) const;
  [[nodiscard]] std::optional<Sentence> found();
  [[nodiscard]] std::optional<Sentence> race(const insight::Finding& finding);
  [[nodiscard]] Places unless_stored(const insight::Finding& finding, const insight::Cell& cell,
                                     Places places) const;
  [[nodiscard]] std::optional<Sentence> wrong_product(const insight::Party& reader,
                                                      std::uint64_t address, Places places) const;
  [[nodiscard]] std::optional<Sentence> fault();
  [[nodiscard]] std::optional<Sentence> print();

  // narration_builder_units.cpp
  [[nodiscard]] const BlockRun& run_here();
  [[nodiscard]] const UnitStep* unit_of(const record::Access& access);
  [[nodiscard]] bool is_of_mbarrier(const record::Access& access);
  // The unit that the subject starts, or waits for.
  [[nodiscard]] std::optional<Sentence> unit();
  [[nodiscard]] std::optional<Sentence> unit(const UnitStep& step);
  [[nodiscard]] std::optional<Sentence> mbarrier(const UnitStep& step);
  [[nodiscard]] Sentence arrives(const UnitStep& step, std::uint64_t address);
  [[nodiscard]] Sentence waits_for_phase(const UnitStep& step, std::uint64_t address);
  [[nodiscard]] bool asks_again(const UnitStep& step) const;
  // Whether a phase of the mbarrier ends in the statement.
  [[nodiscard]] bool ends_phase(std::uint32_t mbarrier) const;
  [[nodiscard]] Pieces phase_text(std::uint32_t mbarrier, std::uint64_t step,
                                  std::uint64_t behind) const;
  [[nodiscard]] std::optional<Sentence> bulk_copy(const UnitStep& step);
  [[nodiscard]] std::vector<Sentence> landed();
  [[nodiscard]] std::optional<std::uint64_t> mbarrier_of(const UnitStep& step, std::uint32_t lane);
  // The operand after the (last) address: a count, bytes, a parity.
  [[nodiscard]] std::optional<std::uint64_t> operand_value(const UnitStep& step,
                                                           const ptx::Operand& operand) const;
  [[nodiscard]] std::span<const ptx::Operand> operands(const UnitStep& step) const;
  [[nodiscard]] std::optional<std::uint64_t> amount(const UnitStep& step) const;
  [[nodiscard]] std::optional<simt::MbarrierObject> object_at(std::uint64_t address) const;
  [[nodiscard]] Pieces missing(const simt::MbarrierObject& object) const;
  [[nodiscard]] Pieces place_at(std::uint64_t address, std::uint32_t bytes) const;
  // narration_builder_control.cpp
  [[nodiscard]] Sentence warp_product(const UnitStep& step) const;
  [[nodiscard]] Pieces own_sums(const UnitStep& step) const;
  [[nodiscard]] Sentence warpgroup_product(const UnitStep& step) const;
  [[nodiscard]] Pieces factor(const UnitStep& step, std::uint32_t number,
                              const std::string& size) const;
  [[nodiscard]] Sentence products_done(const UnitStep& step) const;

  const NarratedBlock& narrated_;
  const NarratedStatement& statement_;
  std::optional<BlockRun> run_here_;  // of the statement, if the narrated block has none
  std::vector<bool> executed_;        // by thread of the block
  std::uint32_t executed_count_ = 0;
  std::uint32_t live_ = 0;  // threads of the block that have not exited
  std::uint32_t subject_ = 0;
  std::uint32_t line_ = 0;
  std::vector<LaneTouch> own_;
  std::vector<LaneTouch> all_;
  std::vector<Group> groups_;
  std::optional<ThreadView> before_;
  std::optional<ThreadView> after_;
};

}  // namespace tilestep::narration
