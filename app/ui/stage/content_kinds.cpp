// Which kinds of cells the stage shows, for the legend.
#include "ui/stage/content.h"

namespace tilestep::ui {

CellKinds kinds_of(const StageContent& content) {
  CellKinds kinds;
  for (const SheetContent& sheet : content.sheets) {
    for (const Cell& cell : sheet.cells) {
      kinds.read |= cell.is_read && cell.by_focus_block;
      kinds.written |= cell.is_written && cell.by_focus_block;
      kinds.masked |= cell.is_masked;
      kinds.arriving |= cell.is_arriving;
      kinds.stale |= cell.is_stale;
      kinds.padding |= cell.is_padding;
      kinds.wrong |= cell.is_wrong;
      kinds.grown |= cell.has_grown;
    }
  }
  return kinds;
}

}  // namespace tilestep::ui
