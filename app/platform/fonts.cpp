#include "platform/fonts.h"

#include <fmt/format.h>

namespace tilestep::platform {
namespace {

constexpr const char* kText = "Roboto-Regular.ttf";
constexpr const char* kBold = "Roboto-Bold.ttf";
constexpr const char* kMono = "Inconsolata-Medium.ttf";
constexpr const char* kIcons = "FontAwesome-Solid.otf";
// Only a reference for the offsets below: every size is rasterised from the outlines.
constexpr float kReferenceSize = 18.0F;

class Loader {
 public:
  explicit Loader(const std::filesystem::path& folder) : folder_(folder) {}

  ImFont* font(const char* file, float extra_scale) {
    ImFontConfig config;
    config.ExtraSizeScale = extra_scale;
    ImFont* font = add(file, config);
    return font != nullptr ? font : ImGui::GetIO().Fonts->AddFontDefaultVector();
  }
  // Glyphs that the font added last does not have itself.
  void merge(const char* file, float extra_scale, ImVec2 offset) {
    ImFontConfig config;
    config.MergeMode = true;
    config.ExtraSizeScale = extra_scale;
    config.GlyphOffset = offset;
    (void)add(file, config);
  }
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  ImFont* add(const char* file, const ImFontConfig& config) {
    const std::filesystem::path path = folder_ / file;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      std::string sentence =
          fmt::format("{}: font missing; using another font. Reinstall Tilestep.", path.string());
      if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) {
        warnings_.push_back(std::move(sentence));
      }
      return nullptr;
    }
    return ImGui::GetIO().Fonts->AddFontFromFileTTF(path.c_str(), kReferenceSize, &config);
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

}  // namespace

LoadedFonts load_fonts(const std::filesystem::path& folder) {
  Loader loader(folder);
  LoadedFonts loaded;
  const ImVec2 icon_offset(0.0F, 1.5F);
  loaded.fonts.text = loader.font(kText, 1.0F);
  loader.merge(kMono, 1.05F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, icon_offset);
  loaded.fonts.bold = loader.font(kBold, 1.0F);
  loader.merge(kMono, 1.05F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, icon_offset);
  loaded.fonts.mono = loader.font(kMono, 1.05F);
  loader.merge(kText, 1.0F, {0.0F, 0.0F});
  loader.merge(kIcons, 0.8F, icon_offset);
  loaded.warnings = loader.take_warnings();
  return loaded;
}

}  // namespace tilestep::platform
