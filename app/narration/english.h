// Every word that the narration says, in English. A second language is a second table of the same
// ids and places.
//
// A row is a whole sentence, long and short; {places} are filled with this run's names and numbers
// and carry their own colour. An empty short form: the long one is short. Numbers come with their
// noun from kNouns, and {threads:wait|waits} gives the verb for many or for one. Rows at the end
// are parts that are a whole of their own, as "{first} and {last}".
#pragma once

#include <array>
#include <string_view>

namespace tilestep::narration {

struct Row {
  std::string_view id;
  std::string_view long_form;
  std::string_view short_form;
};

struct NounForms {
  std::string_view one;
  std::string_view many;
};

// In the order of Noun (templates.h).
inline constexpr NounForms kNouns[] = {
    {"thread", "threads"},   {"block", "blocks"},     {"lane", "lanes"},
    {"number", "numbers"},   {"zero", "zeros"},       {"product", "products"},
    {"element", "elements"}, {"copy", "copies"},      {"sector", "sectors"},
    {"pass", "passes"},      {"byte", "bytes"},       {"word", "words"},
    {"load", "loads"},       {"store", "stores"},     {"read", "reads"},
    {"time", "times"},       {"barrier", "barriers"}, {"update", "updates"},
    {"piece", "pieces"},     {"column", "columns"},
};

// clang-format off
inline constexpr Row kEnglish[] = {
    // Before anything has run, and while the block does not move.
    {"start_one", "{blocks} of {threads} start. You follow {thread} of {block}; it will compute {element}.",
     "You follow {thread}; it computes {element}."},
    {"start_only_one", "One block of {threads} starts. You follow {thread}; it will compute {element}.",
     "You follow {thread}; it computes {element}."},
    {"start_only_many", "One block of {threads} starts. You follow {thread}; it will compute {elements} of {array}.",
     "You follow {thread}: {elements} of {array}."},
    {"start_only_none", "One block of {threads} starts. You follow {thread}.", "You follow {thread}."},
    {"start_many", "{blocks} of {threads} start. You follow {thread} of {block}; it will compute {elements} of {array}.",
     "You follow {thread}: {elements} of {array}."},
    {"start_names", "Threads and blocks are named (x,y), elements [row][column].", ""},
    {"start_none", "{blocks} of {threads} start. You follow {thread} of {block}.", "You follow {thread}."},
    {"block_not_recorded", "{block} is not recorded yet.", ""},
    {"block_not_started", "{block} has not started yet; another block moved.", "{block} has not started yet."},
    {"block_ended", "{block} has ended; another block moved.", "{block} has ended."},
    {"block_stopped", "A fault stopped {block}; another block moved.", "A fault stopped {block}."},
    {"block_waits", "{block} stands still; another block moved.", "{block} stands still."},

    // Functions.
    {"arguments", "{threads} {threads:begin|begins}, all with the same arguments: {arguments}.", "Arguments: {arguments}."},
    {"begins", "{threads} {threads:begin|begins} {function}.", ""},
    {"more", "{count} more", ""},
    {"calls", "{thread} calls {function}.", ""},
    {"enters", "{thread} is inside {function} now.", ""},
    {"enters_with", "{thread} is inside {function} now: {arguments}.", "{function}: {arguments}."},
    {"comes_back", "{thread} comes back from {function}.", ""},
    {"returns_value", "{function} gives {value} to {thread}.", ""},
    {"returns_element", "{function} reads {source} = {value} for {thread}.", "{thread} gets {source} = {value}."},
    {"returns_early", "{threads} {threads:leave|leaves} {function} here.", ""},
    {"all_done", "{threads} {threads:are|is} done.", ""},
    {"leaves", "{threads} {threads:are|is} done; {thread} had nothing to store.", "{thread} is done."},
    {"leaves_results", "{threads} {threads:are|is} done. {thread} leaves {elements} of {array} behind.", "{thread} is done."},
    {"leaves_result", "{threads} {threads:are|is} done. {thread} leaves {element} = {value} behind.", "{thread} is done: {element} = {value}."},
    {"ends_at", "{thread} is done at line {line}.", ""},
    {"goes_on", "{thread} goes on from line {line} to line {next}.", "{thread} goes on to line {next}."},
    {"goes_on_there", "{thread} is still at line {line}, in code that the line calls.", "{thread} is still at line {line}."},

    // Whole numbers.
    {"place_in_block", "Every thread reads its own place in the block: {thread} has {equation}.", "{thread}: {equation}."},
    {"place_of_block", "Every thread reads the place of its block: {thread} has {equation}.", "{thread}: {equation}."},
    {"row_all", "Every thread finds its row: {thread} takes {equation}.", "Row of {thread}: {equation}."},
    {"row_some", "{some} of {all} find their row: {thread} takes {equation}.", "Row of {thread}: {equation}."},
    {"column_all", "Every thread finds its column: {thread} takes {equation}.", "Column of {thread}: {equation}."},
    {"column_some", "{some} of {all} find their column: {thread} takes {equation}.", "Column of {thread}: {equation}."},
    {"row_of", "{thread} loads from row {value} of {array}: {equation}.", "Row of {array}: {equation}."},
    {"column_of", "{thread} loads from column {value} of {array}: {equation}.", "Column of {array}: {equation}."},
    {"element_number", "{thread} takes {equation}: element {value} of {array} is {element}.", "{thread}: {equation}, that is {element}."},
    {"beyond_row", "{thread} takes {equation}: the last row of {array} is {last}, so nothing is there.", "{thread}: {equation}, outside."},
    {"beyond_column", "{thread} takes {equation}: the last column of {array} is {last}, so nothing is there.", "{thread}: {equation}, outside."},
    {"index_all", "Every thread works out {variable}: {thread} gets {equation}.", "{thread}: {equation}."},
    {"index_some", "{some} of {all} work out {variable}: {thread} gets {equation}.", "{thread}: {equation}."},
    {"flag_true", "{variable} is true for {thread}: {condition}.", ""},
    {"flag_false", "{variable} is false for {thread}: {condition} is false.", "{variable} is false."},

    // Other values.
    {"sum_starts", "Every thread starts its sum: {equation} for {thread}.", "{thread}: {equation}."},
    {"sum_starts_some", "{thread} starts its sum: {equation}.", ""},
    {"lost_starts", "Nothing is lost yet: {equation} for {thread}.", "Nothing is lost yet: {equation}."},
    {"sums_start", "{thread} starts its sums in {variable} at 0.", ""},
    {"sets", "{thread} sets {equation}.", ""},
    {"computes", "{thread} computes {equation}.", ""},
    {"has_value", "{thread} has {variable} = {value} now.", ""},
    {"points_to", "{variable} of {thread} points to {element} now.", ""},
    {"lies_in", "{variable} lies in {memory}, from byte {offset} on.", ""},
    {"rounded_down", "{value} (rounded down)", ""},
    {"next_product", "{thread} joins what was lost and the next product, negated: {equation}.", "{thread}: {equation}."},
    {"new_sum", "{thread} makes the new sum: {equation}.", "New sum: {equation}."},
    {"lost_part", "{thread} keeps the part that the new sum has lost: {equation}.", "Lost: {equation}."},
    {"sum_and_lost", "{equation} is the new sum of {thread}, {lost} the part of it that was lost.", "{equation}; lost: {lost}."},

    // Loops.
    {"tile_pass", "Tile {tile} of tiles 0 to {last}: {parts}.", "Tile {tile} of tiles 0 to {last}."},
    {"tile_pass_ahead", "Tile {tile} of tiles 0 to {last}, while the next one comes: {parts}.", "Tile {tile} of tiles 0 to {last}."},
    {"tile_only", "There is one tile only: {parts}.", ""},
    {"tile_other", "Pass {number} of {count}, {variable} = {value}: {parts}.", ""},
    {"tile_other_plain", "Pass {number} of {count}, {variable} = {value}: nothing is left to bring.", ""},
    {"tile_pass_plain", "Tile {tile} of tiles 0 to {last}: {variable} = {value}.", ""},
    {"tiles_done", "No tile left after tile {last}: {variable} = {value} ends the loop.", "No tile left after tile {last}."},
    {"product_pass", "Product {number} of {count}: {variable} = {value} for {thread}.", "Product {number} of {count}: {variable} = {value}."},
    {"product_pass_cells", "Product {number} of {count}: {cells}.", "Product {number} of {count}."},
    {"products_done", "All {count} products of this loop are added: {variable} = {value} ends it.", "All {count} products are added."},
    {"step_pass", "Step {number} of {count}: {thread} reads {numbers} and makes {products} of them.", "Step {number} of {count}: {products}."},
    {"step_tensor", "Step {number} of {count}: {thread} reads {numbers}; the tensor unit makes {products} of what its warp has read.", "Step {number} of {count}: {products}."},
    {"pass_tensor", "Pass {number} of {count}: {variable} = {value}, for {products} of the tensor unit.", "Pass {number} of {count}: {variable} = {value}."},
    {"pass_products", "Pass {number} of {count}: {variable} = {value}, for {products} of {thread}.", "Pass {number} of {count}: {variable} = {value}."},
    {"pass", "Pass {number} of {count}: {variable} = {value} for {thread}.", "Pass {number} of {count}: {variable} = {value}."},
    {"pass_again", "{thread} makes another pass: {condition}.", ""},
    {"pass_plain", "Pass {number} of {count}: for {thread}, {condition}.", "Pass {number} of {count}: {condition}."},
    {"loop_done", "The loop is over after {passes}: {variable} = {value} ends it.", "The loop is over: {variable} = {value}."},
    {"loop_none", "{thread} makes no pass of this loop: {condition} is false.", "No pass: {condition} is false."},
    {"loop_left", "{thread} leaves the loop: {condition} is false.", ""},
    {"loop_over", "{thread} leaves the loop at line {line}.", ""},

    // Conditions.
    {"guard_all", "All {all} take this branch: for {thread}, {condition}.", "All take this branch: {condition}."},
    {"guard_none", "None of {all} takes this branch: for {thread}, {condition} is false.", "Nobody takes it: {condition} is false."},
    {"guard_some", "This branch is for {in} of {all}, {thread} among them: {condition}.", "A branch for {in} of {all}."},
    {"guard_some_not", "This branch is for {in} of {all}, not for {thread}: {condition} is false.", "A branch for {in} of {all}."},
    {"output_all", "All {all} have an element to store: for {thread}, {condition}.", "All have an element: {condition}."},
    {"output_none", "None of {all} has an element to store: for {thread}, {condition} is false.", "Nobody has an element to store."},
    {"output_some", "{in} of {all} have an element to store; {out} go on without. {thread}: {condition}.", "{in} of {all} have an element to store."},
    {"output_some_not", "{in} of {all} have an element to store; {out} go on without. Not {thread}: {condition} is false.", "{in} of {all} have an element to store."},
    {"splits", "Warp {warp} splits at line {line}: {warp_in} of {warp_all} enter, {thread} too: {condition}.", "Warp {warp} splits: {warp_in} of {warp_all}."},
    {"splits_not", "Warp {warp} splits at line {line}: {warp_in} of {warp_all} enter, not {thread}: {condition} is false.", "Warp {warp} splits: {warp_in} of {warp_all}."},
    {"masked", "{thread} is off: {condition} is false. {others}", "{thread} is off: {condition} is false."},
    {"masked_away", "{thread} has gone its own way: {condition}. {others}", "{thread} has gone its own way."},
    {"masked_left", "{thread} has left the kernel. {others}", "{thread} has left the kernel."},
    {"masked_elsewhere", "{thread} is at line {own_line}. {others}", "{thread} is at line {own_line}."},

    // Memory.
    {"tile_copy", "{threads} {threads:copy|copies} {numbers} of {from} into {to}. {thread}: {source} = {value} to {target}.", "{thread}: {source} = {value} to {target}."},
    {"tile_part", "{threads} {threads:fill|fills} {to}: {numbers} of {from}, {zeros} outside. {thread}: {source} = {value} to {target}.", "{thread}: {source} = {value} to {target}."},
    {"tile_outside", "{threads} {threads:fill|fills} {to}: {numbers} of {from}; the rest was read outside of it and may be anything.", "{to}: {numbers} of {from}, the rest from outside."},
    {"tile_zero", "{threads} {threads:fill|fills} {to}: {numbers} of {from}, {zeros} outside it. {thread} stores 0 in {target}.", "{thread}: 0 to {target}, outside {from}."},
    {"tile_zeros", "{threads} {threads:fill|fills} {to} with zeros: nothing is left to load. {thread} stores 0 in {target}.", "{thread}: 0 to {target}, nothing to load."},
    {"shared_computed", "{threads} {threads:store|stores} {numbers} in {to}. {thread}: {equation}.", "{thread}: {equation}."},
    {"shared_store", "{threads} {threads:store|stores} {numbers} in {to}. {thread} puts {value} in {target}.", "{thread} puts {value} in {target}."},
    {"load_global", "{threads} {threads:read|reads} {numbers} of {from}. {thread} reads {source} = {value}.", "{thread} reads {source} = {value}."},
    {"load_shared", "{threads} {threads:read|reads} {numbers} of {from}. {thread} reads {source} = {value}.", "{thread} reads {source} = {value}."},
    {"keeps", "{thread} keeps {source} = {value} in {variable}.", ""},
    {"reads_and_computes", "{thread} reads {source} = {value}: {equation}.", ""},
    {"store_sums", "{threads} {threads:store their sums|stores its sum}. {thread}: {target} = {value}.", "{thread}: {target} = {value}."},
    {"store_values", "{threads} {threads:store|stores} {numbers} in {to}. {thread}: {target} = {value}.", "{thread}: {target} = {value}."},
    {"copies_start", "{copies} to {to} start; nobody waits. {thread}: {source} = {value} to {target}.", "On its way: {source} = {value} to {target}."},
    {"copies_start_zero", "{copies} to {to} start; nobody waits. {thread} sends a 0 to {target}.", "On its way: 0 to {target}."},
    {"copies_none", "{thread} waits for its copies: none is on its way.", ""},
    {"copies_waited", "{thread} waits for its copies: all of them are there.", ""},
    {"copies_land", "{numbers} have landed in {to}. {thread} waited for {target} = {value}.", "Landed: {target} = {value}."},
    {"atomic_one", "{thread} updates {target} in one go: {before} becomes {after}.", "{target}: {before} becomes {after}."},
    {"atomic_blocks", "{thread} updates {target} in one go, threads of other blocks too: {before} becomes {after}.", "{target}: {before} becomes {after}."},
    {"atomic_many", "{threads} {threads:update|updates} {target} one after the other, {thread} too: {before} becomes {after}.", "{target}: {before} becomes {after}."},
    {"shuffle", "{thread} takes {value} from {other}, from register to register: {result}.", "{thread} takes {value}: {result}."},
    {"shuffle_none", "{thread} has nobody to take a value from: {result}.", ""},
    {"conflict_load", "One read of {array}, {words} in {banks} of 32 banks: {degree} on top of each other take {passes}.", "{array}: {words} in {passes}."},
    {"conflict_store", "One store to {array}, {words} in {banks} of 32 banks: {degree} on top of each other take {passes}.", "{array}: {words} in {passes}."},
    {"sectors_load", "One read of {array} by {lanes} touches {sectors}; its bytes would fill {ideal}.", "{array}: {sectors} for {ideal}."},
    {"sectors_store", "One store to {array} by {lanes} touches {sectors}; its bytes would fill {ideal}.", "{array}: {sectors} for {ideal}."},

    // Sums.
    {"multiply_add", "{threads} {threads:read|reads} {first} and {second}. {thread} adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"multiply_add_one", "{thread} reads {source} and adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"naive_product", "{thread} reads {first} and {second} from global memory and adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"register_product", "{thread} adds {product} to {before}: {result}.", "{thread} adds {product}: {result}."},
    {"register_product_of", "{thread} adds {product} to {before}, for {element}: {result}.", "{thread} adds {product}: {result}."},
    {"multiply_subtract", "{thread} takes {product} away from {before}: {result}.", ""},

    // Barriers.
    {"barrier_waits", "{threads} {threads:wait|waits} at the barrier, {thread} among them; {missing} {missing:are|is} still to come.", "{threads} {threads:wait|waits} for {missing}."},
    {"barrier_some", "{threads} of {all} are at the barrier of line {line}, {thread} among them.", "{threads} of {all} are at the barrier."},
    {"barrier_complete", "All {all} are here: {complete} are complete, so anyone may read what anyone brought.", "All {all}: {complete} are complete."},
    {"barrier_complete_one", "All {all} are here: {complete} is complete, so anyone may read what anyone brought.", "All {all} here: {complete} is complete."},
    {"barrier_frees", "All {all} have finished reading {free}: new numbers may be stored there.", "All {all} here: {free} may be overwritten."},
    {"barrier_frees_tile", "All {all} have finished with tile {tile}: {free} may be overwritten.", "All {all} here: {free} may be overwritten."},
    {"barrier_both", "All {all} are here: {complete} may be read now, and {free} overwritten.", "All {all} here: read {complete}."},
    {"barrier_last_tile", "All {all} have finished with tile {tile}. Nothing is stored over it: nothing had to wait.", "All {all} have finished with tile {tile}."},
    {"barrier_all", "All {all} are at the barrier and go on.", ""},
    {"barrier_alone", "{thread} is alone in its block: the barrier waits for nobody.", "{thread} waits for nobody."},
    {"barrier_plain", "All {all} are here; nothing in shared memory had to wait for it.", "All {all} are here."},
    {"warps_barrier", "{threads} of several warps wait for each other, {thread} among them.", "{threads} wait for each other."},
    {"warp_barrier", "{lanes} of the warp wait for each other, {thread} among them.", "{lanes} wait for each other."},

    // What went wrong.
    {"race_lost", "{first} has put {between} over the {old} in {element} that {second} is only now reading.", "{second} reads {between} instead of {old}."},
    {"race_product", "{first} has put {between} over the {old} that {second} is only now reading: {product} instead of {should}.", "{second}: {product} instead of {should}."},
    {"race_ahead", "{first} puts {between} over the {old} in {element} that {second} has not read yet.", "{first} puts {between} over {old}."},
    {"race_too_early", "{first} reads {old} in {element} before {second} has stored {new} there.", "{first} reads {old}, not {new}."},
    {"race_too_late", "{second} stores {new} in {element} only now: {first} has read {old} there.", "{second} stores {new} too late."},
    {"race_early", "{first} stored {between} in {element}; {second} reads it with no barrier in between.", "{second} reads {element} with no barrier."},
    {"race_overwrites", "{first} read {old} in {element}; {second} stores {new} there with no barrier in between.", "{second} stores {new} over {old}."},
    {"race_stores", "{first} stored {between} in {element}, {second} stores {new} there: nothing orders the two.", "Two stores to {element}: {between}, {new}."},
    {"race_stores_same", "{first} and {second} both store {new} in {element}: nothing orders the two.", "Two stores of {new} to {element}."},
    {"finding", "{sentence}", "A finding at line {line}."},
    {"fault", "A fault at line {line}, by {thread}.", ""},
    {"fault_read", "{thread} reads {place} at line {line}, outside the array.", "{thread} reads {place}."},
    {"fault_store", "{thread} stores to {place} at line {line}, outside the array.", "{thread} stores to {place}."},
    {"prints", "{thread} prints “{text}”.", ""},

    // What one access of a warp asks of memory.
    {"memory_conflict", "{lanes} ask for {words} in {banks} of 32 banks: {most} words on top of each other take {passes}.", "{passes}."},
    {"memory_banks", "{lanes} ask for {words} in {banks} of 32 banks, no two in one: {passes}.", "{passes}."},
    {"memory_wide", "{lanes} ask for {words}: {passes}, and each is as wide as the banks.", "{passes}."},
    {"memory_uncoalesced", "{lanes} ask for {asked}: {sectors} where {least} would do, so {moved} move.", "{sectors} for {least}."},
    {"memory_sectors", "{lanes} ask for {asked}: {sectors}, and no fewer would do.", "{sectors}."},
    {"memory_none", "This statement of the warp uses no memory.", ""},
    {"cost_for", "{cost} for {least}", ""},
    {"cost_instead", "{cost} instead of {least}", ""},
    {"cost_least", "{cost}", ""},
    {"load_of", "load of {array}", ""},
    {"store_to", "store to {array}", ""},
    {"update_of", "update of {array}", ""},
    {"memory_of", "What warp {warp} asks of memory at line {line} (M shows the cells again).", ""},
    {"sector_key", "A box is a sector, the least that moves: 8 words. What no lane uses is hatched.", ""},
    {"bank_key", "A column is a bank. Words on top of each other take turns.", ""},
    {"memory_more", "{count} more", ""},
    {"bank", "bank", ""},
    {"ringed_bank", "Ringed: bank {bank}.", ""},

    // The registers of a thread.
    {"register_sums", "sums", ""},
    {"register_dashed", "{sums} · dashed: product to come", ""},

    // The volume of products.
    {"volume_title", "{m} × {n} × {k} products", ""},
    {"volume_cube", "Every cube is one product, A[i][k] · B[k][j]. A column of cubes along k adds up to one C[i][j].", ""},
    {"volume_block", "The coloured frame holds what {block} adds up: {count} are done.", ""},
    {"volume_running", "Now: {count} products, {k}.", ""},
    {"volume_faces", "Bright cubes run now, dim ones are done. Framed cubes belong to the thread you follow.", ""},
    {"volume_keys", "Drag, or Shift and arrow keys, to turn it. Click a cube to go to its phase. 8 or Esc closes it.", ""},
    {"volume_count", "{done} of the block's {all} products", ""},
    {"volume_none", "This block adds up no products of A and B that can be drawn.", ""},

    // A race that strikes.
    {"race_on", "Race on {element}", ""},
    {"race_writes", "{thread} writes {value}", ""},
    {"race_reads", "{thread} reads {found}, needs {should}", ""},
    {"race_at", "line {line} · statement {statement}", ""},
    {"race_no_barrier", "no barrier between the two", ""},
    {"race_lost_value", "lost", ""},
    {"race_late_value", "to come", ""},
    {"race_nothing", "nothing", ""},
    {"race_others", "and {count} more in this statement", ""},
    {"race_spoilt", "{element} is wrong: {thread} read {found} instead of {should} in {cell}, line {line}, statement {statement}.", "{element} is wrong: {found} for {should} in {cell}."},

    // The buffers of a double buffer.
    {"buffer_filling", "[{index}] filling", ""},
    {"buffer_multiplying", "[{index}] multiplying", ""},
    {"buffer_read", "[{index}] read", ""},
    {"buffer_filled", "[{index}] filled", ""},
    {"buffer_idle", "[{index}]", ""},

    // Marks on the timeline.
    {"mark_race", "A race strikes: line {line}.", ""},
    {"mark_finding", "Finding: line {line}.", ""},
    {"mark_conflict", "Bank conflict at line {line}: {passes} instead of {least}.", ""},
    {"mark_uncoalesced", "Uncoalesced at line {line}: {sectors} for {least}.", ""},
    {"mark_divergence", "A warp splits at line {line}: {some} of {lanes} go one way.", ""},
    {"mark_barrier", "Everybody meets at the barrier of line {line}.", ""},
    {"mark_more", "and {count} more here", ""},
    {"mark_click", "Click to go there.", ""},

    // What a phase did. "Read" is read from shared memory, in this block, before it is stored again.
    {"sum_load_one", "{threads} fetched {first} + {second} numbers, one of each. Each number will be read {times}.{stored}", "Fetched {first} + {second} numbers, each to be read {times}."},
    {"sum_load_two", "{threads} fetched {first} + {second} numbers. Each number will be read {times}.{stored}", "Fetched {first} + {second} numbers, each to be read {times}."},
    {"sum_load", "{threads} fetched {numbers}. Each number will be read {times}.{stored}", "Fetched {numbers}, each to be read {times}."},
    {"sum_load_plain", "{threads} fetched {numbers}.{stored}", "Fetched {numbers}."},
    {"sum_load_plain_zeros", "{threads} fetched {numbers}; {zeros} {zeros:fill|fills} the rest.{stored}", "Fetched {numbers}, stored {zeros}."},
    {"sum_load_uneven", "{threads} fetched {numbers}. Each number will be read {least} to {times}.{stored}", "Fetched {numbers}."},
    {"sum_load_zeros", "{threads} fetched {numbers}; {zeros} {zeros:fill|fills} the rest. Each number will be read {times}.{stored}", "Fetched {numbers}, stored {zeros}."},
    {"sum_load_zeros_uneven", "{threads} fetched {numbers}; {zeros} {zeros:fill|fills} the rest. Each number will be read {least} to {times}.{stored}", "Fetched {numbers}, stored {zeros}."},
    {"sum_load_outside", "{threads} fetched {numbers}. {outside} went outside the arrays: a fault.{stored}", "Fetched {numbers}; {outside} outside."},
    {"sum_multiply", "Each thread added {products}: {reads} of {arrays}, none of global memory.{stored}", "Each thread added {products}."},
    {"sum_multiply_some", "{threads} added {all}: {reads} of {arrays}, none of global memory.{stored}", "{threads} added {all}."},
    {"sum_multiply_load", "Each thread added {products}: {reads} of {arrays}, and {loads} of {buffers} as well.{stored}", "Each thread added {products}."},
    {"sum_multiply_load_some", "{threads} added {all}: {reads} of {arrays}, and {loads} of {buffers} as well.{stored}", "{threads} added {all}."},
    {"sum_multiply_copies", "Each thread added {products}, while {copies} of {buffers} were on their way.{stored}", "Each thread added {products}."},
    {"sum_multiply_copies_some", "{threads} added {all}, while {copies} of {buffers} were on their way.{stored}", "{threads} added {all}."},
    {"sum_tensor", "The tensor units multiplied {pieces} of {left} by {right}: {all}.{stored}", "Multiplied {pieces} of {left} by {right}: {all}."},
    {"sum_global", "Each thread added {products}: {loads} of {buffers} in global memory.{stored}", "Each thread added {products}."},
    {"sum_global_some", "{threads} added {all}: {loads} of {buffers} in global memory.{stored}", "{threads} added {all}."},
    {"and_stored", " {threads} stored {parts}.", ""},
    {"sum_write", "{threads} stored {parts}.", ""},
    {"sum_write_some", "{threads} stored {parts}; {idle} had nothing to store.", "{threads} stored {parts}."},
    {"sum_other", "{threads} took part: {parts}.", ""},
    {"sum_nothing", "{threads} worked out indices and starting values; memory was not used.", "No memory was used."},
    {"own_growth", "{thread} took its sum for {element} from {before} to {after} with {products}.", ""},
    {"own_stored", "{thread} took its sum for {element} from {before} to {after} with {products}, and stored it.", ""},
    {"own_growth_in_unit", "{thread} took its sum for {element} from {before} to {after}.", ""},
    {"own_stored_in_unit", "{thread} took its sum for {element} from {before} to {after}, and stored it.", ""},
    {"own_result", "{element} = {after} took {products}.", ""},
    {"made_complete", "The barrier makes {complete} safe to read.", ""},
    {"made_free", "The barrier makes {free} safe to overwrite.", ""},
    {"made_both", "The barrier makes {complete} safe to read, {free} safe to overwrite.", ""},
    {"moved", "{block} moved {moved} of global memory in this phase and used {asked} of them.", ""},
    {"moved_all", "{block} moved {moved} of global memory in this phase and used all of them.", ""},
    {"reads_of", "{count} of {array}", ""},
    {"loads_of", "{count} of {array}", ""},
    {"accesses_of_numbers", "{count} of {numbers} of {array}", ""},
    {"accesses_to_numbers", "{count} of {numbers} to {array}", ""},
    {"stores_to", "{count} to {array}", ""},
    {"updates_of", "{count} of {array}", ""},
    {"all_wait", "{threads} {threads:wait|waits} at the barrier", ""},

    // The run is over.
    {"stale_text", "The text does not compile (line {line}). The stage shows the last one that did.", "Not this text: line {line} does not compile."},
    {"run_complete", "The run is complete.", ""},
    {"run_right", "The run is complete: {arrays} equals the reference.", ""},
    {"run_right_but", "{arrays} equals the reference this time, but there are findings: another order of the threads may give another result.", ""},
    {"run_all_right_but", "{arrays} equal the reference this time, but there are findings: another order of the threads may give another result.", ""},
    {"run_all_right", "The run is complete: {arrays} equal the reference.", ""},
    {"run_wrong", "The run is complete: {wrong} of {all} of {array} differ from the reference.", ""},
    {"run_stopped", "A fault at line {line} stopped the run. See Findings.", ""},

    // Parts that are a whole of their own.
    {"and_two", "{first} and {last}", ""},
    {"or_two", "{first} or {last}", ""},
    {"comma_two", "{first}, {last}", ""},
    {"true", "true", ""},
    {"false", "false", ""},
    {"is_value", "{name} = {value}", ""},
    {"one_column", "a column of {array}", ""},
    {"one_row", "a row of {array}", ""},
    {"numbers_of", "{numbers} of {array}", ""},
    {"cell_of_array", "{array}[{first}]", ""},
    {"count_of", "{count} of {array}", ""},
    {"columns_of_array", "columns {first} to {last} of {array}", ""},
    {"column_of_array", "column {first} of {array}", ""},
    {"rows_of_array", "rows {first} to {last} of {array}", ""},
    {"row_of_array", "row {first} of {array}", ""},

    // The line above the sentence.
    {"stage_brought", "{thread} brought", ""},
    {"stage_brought_more", "and {count} more", ""},
    {"stage_no_barrier_short", "no barrier", ""},
    {"stage_no_barrier", "no barrier between {first} and {last}", ""},

    // Beside an array's name, one after another as far as there is room.
    {"label_one_per_thread", "one per thread", ""},
    {"label_per_thread", "{count} per thread", ""},
    {"label_rows", "rows {first}–{last}", ""},
    {"label_columns", "columns {first}–{last}", ""},
    {"label_rows_columns", "rows {first}–{last}, columns {left}–{right}", ""},
    {"label_turned", "{from}, turned", ""},
    {"label_padding", "{columns} of padding", ""},
    {"label_all_stored", "all stored", ""},
    {"label_some_stored", "{stored} of {all} stored", ""},
    {"label_not_stored", "{sum}, not stored", ""},
    {"label_not_stored_yet", "not stored", ""},
    {"label_none_stored", "nothing stored yet", ""},
    {"card_title", "what {phase} did", ""},
    {"card_statements", "statements {first} to {last}", ""},
    {"card_line", "line {line}", ""},
    {"card_more", "and {count} more lines", ""},
    {"card_empty", "F10 plays a phase; what it did appears here.", ""},
    {"eyebrow_phase", "Phase {number} of {count}", ""},
    {"eyebrow_phase_done", "Phase {number} of {count}, done", ""},
    {"eyebrow_tile", "tile {tile} of 0 to {last}", ""},
    {"eyebrow_product", "product {number} of {count}", ""},
    {"eyebrow_step", "step {number} of {count}", ""},
    {"eyebrow_other", "{variable} = {value}, pass {number} of {count}", ""},
    {"eyebrow_pass", "{variable}: pass {number} of {count}", ""},
    {"eyebrow_lanes", "{off} of {all} off", ""},
};
// clang-format on

}  // namespace tilestep::narration
