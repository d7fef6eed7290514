// Standard input, output and error, as every subcommand needs them.
#pragma once

namespace tilestep::cli {

// Called first. Where the caller closed a stream, no file of ours must get its number: output would
// be written into that file.
void occupy_closed_streams();

// Called last, with the status that the program would end with, and errno of a print that failed,
// if it is known. What was printed reaches its reader, or a sentence on standard error says why
// not, and the status is that of wrong use. A reader that ended first (`| head`) is no mistake.
[[nodiscard]] int finish_output(int status, int failed_print = 0);

}  // namespace tilestep::cli
