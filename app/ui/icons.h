// The Font Awesome 6 Free (solid) icons in use, as UTF-8; merged into every font of ui::Fonts.
#pragma once

namespace tilestep::ui::icon {

inline constexpr const char* kPlay = "\xef\x81\x8b";         // U+F04B
inline constexpr const char* kPause = "\xef\x81\x8c";        // U+F04C
inline constexpr const char* kStop = "\xef\x81\x8d";         // U+F04D
inline constexpr const char* kToStart = "\xef\x81\x89";      // U+F049 backward-fast
inline constexpr const char* kToEnd = "\xef\x81\x90";        // U+F050 forward-fast
inline constexpr const char* kBackward = "\xef\x81\x8a";     // U+F04A
inline constexpr const char* kForward = "\xef\x81\x8e";      // U+F04E
inline constexpr const char* kStepBack = "\xef\x81\x88";     // U+F048 backward-step
inline constexpr const char* kStepForward = "\xef\x81\x91";  // U+F051 forward-step
inline constexpr const char* kWarning = "\xef\x81\xb1";      // U+F071 triangle-exclamation
inline constexpr const char* kError = "\xef\x81\xaa";        // U+F06A circle-exclamation
inline constexpr const char* kCheck = "\xef\x80\x8c";        // U+F00C
inline constexpr const char* kClose = "\xef\x80\x8d";        // U+F00D xmark
inline constexpr const char* kCheckCircle = "\xef\x81\x98";  // U+F058
inline constexpr const char* kEdit = "\xef\x8c\x83";         // U+F303 pencil
inline constexpr const char* kKeyboard = "\xef\x84\x9c";     // U+F11C
inline constexpr const char* kHalfCircle = "\xef\x81\x82";   // U+F042 circle-half-stroke
inline constexpr const char* kSpinner = "\xef\x84\x90";      // U+F110
inline constexpr const char* kArrowRight = "\xef\x81\xa1";   // U+F061
inline constexpr const char* kCircle = "\xef\x84\x91";       // U+F111
inline constexpr const char* kSquare = "\xef\x83\x88";       // U+F0C8
inline constexpr const char* kDiamond = "\xef\x88\x99";      // U+F219
inline constexpr const char* kUp = "\xef\x83\x98";           // U+F0D8 caret-up
inline constexpr const char* kDown = "\xef\x83\x97";         // U+F0D7 caret-down

}  // namespace tilestep::ui::icon
