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
inline constexpr const char* kLeft = "\xef\x81\x93";         // U+F053 chevron-left
inline constexpr const char* kRight = "\xef\x81\x94";        // U+F054 chevron-right
inline constexpr const char* kUp = "\xef\x81\xb7";           // U+F077 chevron-up
inline constexpr const char* kDown = "\xef\x81\xb8";         // U+F078 chevron-down
inline constexpr const char* kCircle = "\xef\x84\x91";       // U+F111
inline constexpr const char* kWarning = "\xef\x81\xb1";      // U+F071 triangle-exclamation
inline constexpr const char* kError = "\xef\x81\xaa";        // U+F06A circle-exclamation
inline constexpr const char* kCheck = "\xef\x80\x8c";        // U+F00C
inline constexpr const char* kCheckCircle = "\xef\x81\x98";  // U+F058
inline constexpr const char* kCross = "\xef\x80\x8d";        // U+F00D xmark
inline constexpr const char* kSearch = "\xef\x80\x82";       // U+F002 magnifying-glass
inline constexpr const char* kEdit = "\xef\x8c\x83";         // U+F303 pencil
inline constexpr const char* kFit = "\xef\x81\xa5";          // U+F065 expand
inline constexpr const char* kKeyboard = "\xef\x84\x9c";     // U+F11C
inline constexpr const char* kHelp = "\xef\x81\x99";         // U+F059 circle-question
inline constexpr const char* kSun = "\xef\x86\x85";          // U+F185
inline constexpr const char* kMoon = "\xef\x86\x86";         // U+F186
inline constexpr const char* kClock = "\xef\x80\x97";        // U+F017
inline constexpr const char* kChip = "\xef\x8b\x9b";         // U+F2DB microchip
inline constexpr const char* kFolder = "\xef\x81\xbc";       // U+F07C folder-open
inline constexpr const char* kSpinner = "\xef\x84\x90";      // U+F110
inline constexpr const char* kLayers = "\xef\x97\xbd";       // U+F5FD layer-group
inline constexpr const char* kPalette = "\xef\x84\xa0";      // U+F120 terminal
inline constexpr const char* kEye = "\xef\x81\xae";          // U+F06E
inline constexpr const char* kArrowRight = "\xef\x81\xa1";   // U+F061
inline constexpr const char* kBarrier = "\xef\x81\x9e";      // U+F05E ban
inline constexpr const char* kInfo = "\xef\x81\x9a";         // U+F05A circle-info

}  // namespace tilestep::ui::icon
