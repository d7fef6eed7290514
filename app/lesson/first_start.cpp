#include "lesson/first_start.h"

namespace tilestep::lesson {

FirstStart first_start() {
  FirstStart first;
  first.state.focus.block = 1;
  first.state.focus.thread = 6;
  first.place = {Place::Kind::Statement, 18};
  return first;
}

}  // namespace tilestep::lesson
