// The forms (block_domain.h) of a frame's registers, by lane.
#pragma once

#include "insight/count/block_domain.h"
#include "ptx/model/module.h"
#include "simt/state/event.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilestep::insight {

// One register. Nearly always all lanes have the same form.
class FormRow {
 public:
  [[nodiscard]] bool is_uniform() const { return lanes_ == nullptr; }
  [[nodiscard]] const Form& at(std::size_t lane) const {
    return lanes_ == nullptr ? all_ : (*lanes_)[lane];
  }
  void set_all(const Form& form) {
    all_ = form;
    lanes_.reset();
  }
  void set(std::uint32_t mask, const Form& form);
  // Does not change along this axis.
  void forget(std::size_t axis);

 private:
  Form all_;
  std::unique_ptr<std::array<Form, simt::kWarpSize>> lanes_;
};

struct FormFrame {
  explicit FormFrame(const ptx::Function& function)
      : words(function.register_words + 4), predicates(function.predicate_count) {}

  [[nodiscard]] FormRow& row(const ptx::Register& reg) {
    return reg.cls == ptx::RegisterClass::Pred ? predicates[reg.index] : words[reg.index];
  }

  std::vector<FormRow> words;  // by a register's first word
  std::vector<FormRow> predicates;
};

}  // namespace tilestep::insight
