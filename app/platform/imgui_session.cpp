#include "platform/imgui_session.h"

#include "problem/file.h"
#include "problem/language.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace tilestep::platform {
namespace {

#ifdef __EMSCRIPTEN__
constexpr bool kIsBrowser = true;
#else
constexpr bool kIsBrowser = false;
#endif

constexpr const char* kText = "Roboto-Regular.ttf";
constexpr const char* kBold = "Roboto-Bold.ttf";
constexpr const char* kMono = "Inconsolata-Medium.ttf";
constexpr const char* kDyslexic = "OpenDyslexic-Regular.otf";
constexpr const char* kDyslexicBold = "OpenDyslexic-Bold.otf";
constexpr const char* kIcons = "FontAwesome-Solid.otf";
// Its lines have room for much taller letters: without it they are two thirds as high as Roboto's.
constexpr float kDyslexicSize = 1.3F;
// Chinese, for all faces: glyphs are rasterized when they are first drawn.
constexpr const char* kChinese = "DroidSansFallbackFull.ttf";
// Only a reference for this offset: every size is rasterized from the outlines.
constexpr float kReferenceSize = 18.0F;
constexpr ImVec2 kIconOffset(0.0F, 1.5F);

// A big-endian number of `size` bytes; 0 if the text is too short.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (const char c : bytes.substr(std::min(at, bytes.size()), size)) {
    number = number << 8U | static_cast<unsigned char>(c);
  }
  return number;
}

// Whether every table is within the file (OpenType specification, "Table Directory"): Dear ImGui
// asserts that a font is readable, and reads at the tables' offsets.
bool is_whole_font(std::string_view bytes) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kRecord = 16;
  constexpr std::string_view kTrueType("\0\1\0\0", 4);
  const bool is_font = bytes.starts_with(kTrueType) || bytes.starts_with("OTTO");
  const std::uint64_t tables = number_at(bytes, 4, 2);
  if (!is_font || tables == 0 || kHeader + tables * kRecord > bytes.size()) {
    return false;
  }
  for (std::size_t table = 0; table < tables; ++table) {
    const std::size_t record = kHeader + table * kRecord;
    if (number_at(bytes, record + 8, 4) + number_at(bytes, record + 12, 4) > bytes.size()) {
      return false;
    }
  }
  return true;
}

class Loader {
 public:
  explicit Loader(const std::filesystem::path& folder) : folder_(folder) {}

  // Null if the file cannot be read.
  ImFont* try_font(const char* file, float extra_scale) {
    ImFontConfig config;
    config.ExtraSizeScale = extra_scale;
    return add(file, config);
  }
  ImFont* font(const char* file, float extra_scale) {
    ImFont* const font = try_font(file, extra_scale);
    return font != nullptr ? font : ImGui::GetIO().Fonts->AddFontDefaultVector();
  }
  // Adds glyphs that the previous font lacks.
  void merge(const char* file, float extra_scale, ImVec2 offset) {
    ImFontConfig config;
    config.MergeMode = true;
    config.ExtraSizeScale = extra_scale;
    config.GlyphOffset = offset;
    (void)add(file, config);
  }
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::move(warnings_); }
  // All bytes; empty with a warning if it is not a complete font.
  std::string read(const char* file, const char* consequence) {
    const std::filesystem::path path = folder_ / file;
    Result<std::string> bytes = problem::read_file(path);
    if (bytes && is_whole_font(*bytes)) {
      return std::move(*bytes);
    }
    std::string sentence =
        bytes ? tr("{}: font damaged; {}. Reinstall Tilestep.", path.string(), consequence)
              : tr("{}: font missing; {}. Reinstall Tilestep.", path.string(), consequence);
    if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) {
      warnings_.push_back(std::move(sentence));
    }
    return {};
  }

 private:
  ImFont* add(const char* file, const ImFontConfig& config) {
    return read(file, tr("using another font")).empty()
               ? nullptr
               : ImGui::GetIO().Fonts->AddFontFromFileTTF((folder_ / file).string().c_str(),
                                                          kReferenceSize, &config);
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

}  // namespace

void ImGuiBackEnds::begin_frame() const {
  if (has_opengl_) {
    ImGui_ImplOpenGL3_NewFrame();
  }
  ImGui_ImplGlfw_NewFrame();
}

void ImGuiBackEnds::update_textures() const {
  for (ImTextureData* const texture : *ImGui::GetDrawData()->Textures) {
    if (texture->Status == ImTextureStatus_OK) {
      continue;
    }
    if (has_opengl_) {
      ImGui_ImplOpenGL3_UpdateTexture(texture);
    } else {
      texture->SetStatus(texture->Status == ImTextureStatus_WantDestroy ? ImTextureStatus_Destroyed
                                                                        : ImTextureStatus_OK);
    }
  }
}

#ifndef __EMSCRIPTEN__
void attach_page(GLFWwindow* /*window*/) {}
#endif

void use_typeface(LoadedFonts& loaded, state::Typeface typeface) {
  const bool is_dyslexic = typeface == state::Typeface::OpenDyslexic;
  if (is_dyslexic && loaded.open_dyslexic.text == nullptr) {
    Loader loader(loaded.folder);
    ui::Fonts& fonts = loaded.open_dyslexic;
    fonts = loaded.roboto;
    for (const auto& [font, file, other] : {std::tuple(&fonts.text, kDyslexic, kText),
                                            std::tuple(&fonts.bold, kDyslexicBold, kBold)}) {
      if (ImFont* const added = loader.try_font(file, kDyslexicSize)) {
        loader.merge(other, 1.0F, {0.0F, 0.0F});  // Greek and signs
        loader.merge(kMono, 1.05F, {0.0F, 0.0F});
        loader.merge(kIcons, 0.8F, kIconOffset);
        loaded.without_chinese.push_back(added);
        *font = added;
      }
    }
    std::ranges::move(loader.take_warnings(), std::back_inserter(loaded.warnings));
  }
  loaded.fonts = is_dyslexic ? loaded.open_dyslexic : loaded.roboto;
  ImGui::GetIO().FontDefault = loaded.fonts.text;
}

// Merged last into all faces; the atlas owns the one copy of its bytes.
void load_chinese(LoadedFonts& loaded) {
  if (loaded.without_chinese.empty() || (kIsBrowser && spoken_language() != "zh")) {
    return;
  }
  Loader loader(loaded.folder);
  std::string bytes;
  try {
    bytes = loader.read(kChinese, tr("Chinese is not shown"));
  } catch (const problem::FileAwaited&) {
    return;
  }
  const std::vector<ImFont*> fonts = std::exchange(loaded.without_chinese, {});
  for (std::string& warning : loader.take_warnings()) {
    loaded.warnings.push_back(std::move(warning));
  }
  if (bytes.empty()) {
    return;
  }
  auto* const copy = static_cast<char*>(ImGui::MemAlloc(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), copy);
  ImFontConfig config;
  config.MergeMode = true;
  fmt::format_to_n(config.Name, sizeof config.Name - 1, "{}", kChinese);
  for (ImFont* const font : fonts) {
    config.DstFont = font;
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(copy, static_cast<int>(bytes.size()), kReferenceSize,
                                               &config);
    config.FontDataOwnedByAtlas = false;
  }
}

LoadedFonts load_fonts(const std::filesystem::path& folder) {
  Loader loader(folder);
  LoadedFonts loaded;
  loaded.folder = folder;
  ui::Fonts& fonts = loaded.roboto;
  fonts.text = loader.font(kText, 1.0F);
  loader.merge(kMono, 1.05F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, kIconOffset);
  fonts.bold = loader.font(kBold, 1.0F);
  loader.merge(kMono, 1.05F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, kIconOffset);
  fonts.mono = loader.font(kMono, 1.05F);
  loader.merge(kText, 1.0F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, kIconOffset);
  loaded.fonts = fonts;
  loaded.without_chinese = {fonts.text, fonts.bold, fonts.mono};
  loaded.warnings = loader.take_warnings();
  load_chinese(loaded);
  return loaded;
}

}  // namespace tilestep::platform
