#include <algorithm>
#include <vector>

#include "fit/result/form.hpp"
#include "io/html/answers.hpp"
#include "io/html/explore_script.hpp"
#include "io/html/figures.hpp"
#include "io/html/markup.hpp"
#include "io/html/page.hpp"
#include "io/html/style.hpp"
#include "io/html/tables.hpp"

namespace perfmodel {
namespace page {
namespace {

constexpr std::size_t kMostRegions = 10;

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : element("p", "", escaped_markup(text)) + "\n";
}

std::string section(const std::string& heading, const std::string& content,
                    const std::string& style = "") {
  return "<section" + (style.empty() ? "" : attribute("class", style)) + ">\n" +
         element("h2", "", escaped_markup(heading)) + "\n" + content + "</section>\n";
}

std::string list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items)
    out += element("li", "", escaped_markup(item)) + "\n";
  return out.empty() ? "" : "<ul>\n" + out + "</ul>\n";
}

std::string figures(const std::string& drawn) {
  return drawn.empty() ? "" : "<div class=\"figures\">\n" + drawn + "</div>\n";
}

std::string preformatted(const std::string& text) {
  return element("pre", "", escaped_markup(text)) + "\n";
}

std::string cards(const std::vector<Answer>& answers) {
  std::string out;
  for (const Answer& answer : answers) {
    out += std::string(answer.is_alarming ? "<div class=\"card alarm\">" : "<div class=\"card\">") +
           element("p", attribute("class", "question"), escaped_markup(answer.question)) +
           element("p", attribute("class", "big"), escaped_markup(answer.figure));
    for (const std::string& line : answer.lines)
      out += paragraph(line);
    out += "</div>\n";
  }
  return "<div class=\"cards\">\n" + out + "</div>\n";
}

/// What the typical configuration is.
std::string typical_text(const Content& content) {
  const TypicalConfiguration& typical = content.typical;
  if (content.model.central)
    return typical.place + ", of the runs behind the fit the one nearest to all others";
  return typical.of_the_fit ? typical.place + " of the runs behind the fit"
                            : typical.place +
                                  ", of the runs of this page the one nearest to all "
                                  "others (the model file names none)";
}

std::string comparison_section(const Content& content) {
  if (!content.comparison)
    return "";
  return section(
      "Is it better than the old model?",
      comparison_table(content) +
          paragraph("On these runs, new less old: " + comparison_text(*content.comparison) +
                    ". The interval is of a paired bootstrap over configurations."));
}

std::string duration_section(const Content& content) {
  return section(
      "How long does an iteration take?",
      (content.model.form->words().lists_terms
           ? paragraph("The model is the sum of the terms that the next part lists.")
           : paragraph("The model, its numbers rounded to three digits:") +
                 preformatted(content.formula)) +
          paragraph("The configuration at which this page gives its answers is that of " +
                    typical_text(content) + ": " + settings_text(content.typical.settings) + ".") +
          group_table(content) + group_figures(content));
}

std::string share_section(const Content& content) {
  if (content.shares.empty()) {
    return section("What makes it long?",
                   paragraph("The predictions of these runs add up to no time, so there are no "
                             "shares of it."));
  }
  return section("What makes it long?",
                 figures(share_figure(content) + effect_table(content)) + term_table(content));
}

std::string scaling_section(const Content& content) {
  if (content.powers.empty())
    return section("How does it scale?", paragraph("The model has no column of scale."));
  std::string drawn;
  for (std::size_t i = 0; i < content.curves.size(); ++i) {
    const ScaleCurve& curve = content.curves[i];
    drawn += "<div class=\"along\">\n" +
             figures(scale_figure(content, curve, i + 1) + speedup_figure(curve, i + 1)) +
             forecast_table(content, curve) + "</div>\n";
  }
  const std::string meaning =
      "What doubling a scale does to the time is its predicted ratio at the shown configuration. "
      "A power says how " +
      std::string(content.model.form->words().scaled_part) + " answers" +
      (content.model.typical ? " there" : "");
  return section("How does it scale?", paragraph(meaning + ": -1 is ideal, 0 is no gain.") +
                                           power_table(content) + paragraph(scale_legend(content)) +
                                           drawn);
}

std::string trust_section(const Content& content, const FieldWords& words) {
  std::string text = paragraph(
      content.fitted_to_these_runs
          ? ("The model was fitted to this very file, or parts of it. Runs that no fit has seen "
             "may be farther off; the validation and test parts of a fit (" +
             Field{"split"} + ", " + Field{"test"} + ") tell.")
                .text(words)
          : "");
  text += metrics_table(content);
  const std::string noise = noise_text(content);
  text += paragraph(noise.empty() ? "" : "Against the noise of these runs: " + noise + ".");
  text += paragraph(interval_text(content));
  text += figures(parity_figure(content) + residual_figure(content) + histogram_figure(content));
  text += element("h3", "", "Where it errs") + "\n" + error_figures(content) +
          "<div class=\"tables\">\n" + error_table(content) + worst_table(content) + "</div>\n";

  const std::vector<std::string> warnings = warnings_of(content);
  text += element("h3", "", "Warnings") + "\n" +
          (warnings.empty() ? paragraph("None.") : list(warnings));

  std::vector<std::string> regions;
  for (const UnmeasuredRegion& region : content.model.unmeasured) {
    if (regions.size() == kMostRegions) {
      regions.push_back(std::to_string(content.model.unmeasured.size() - kMostRegions) +
                        " further regions, which model.json lists");
      break;
    }
    regions.push_back(to_text(region));
  }
  if (!regions.empty()) {
    text += element("h3", "", "Not measured inside of the ranges of the columns") + "\n" +
            list(regions);
  }
  return section("How far can it be trusted?", text);
}

std::string constant_section(const Content& content) {
  const bool knows = content.model.identifiability.has_value();
  return section(
      "Constants",
      paragraph(knows ? "A constant that is not determined by the runs, or that a bound holds, is "
                        "not to be quoted; predictions within the measured range do not suffer."
                      : "") +
          "<div class=\"tables\">\n" + constant_tables(content) + difference_table(content) +
          "</div>\n" +
          (content.model.form->words().lists_terms
               ? element("h3", "", "The formula") + "\n" + preformatted(content.formula)
               : "") +
          element("h3", "", "The formula in LaTeX") + "\n" + preformatted(content.latex),
      "constants");
}

std::string origin_section(const Content& content) {
  const auto quoted = [](const std::string& file) {
    const bool plain = std::all_of(file.begin(), file.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("._-+=@%").find(c) != std::string_view::npos;
    });
    std::string out = "'";
    for (const char c : file)
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return plain ? file : out + "'";
  };
  const std::string old_model =
      content.comparison ? quoted(content.comparison->model_file) + " " : "";
  std::vector<std::string> notices;
  for (const Sentence& notice : content.model.provenance.notices)
    notices.push_back(notice.text());
  return section(
      "Where it comes from",
      file_table(content) + search_table(content) + list(notices) +
          paragraph("This page was written by " + content.tool +
                    "; the same program and files give the same bytes again:") +
          preformatted("perfmodel report " + old_model + quoted(content.model_file) + " " +
                       quoted(content.runs.file) + content.options + " -o report.html"));
}

/// In a section of XML, whose marks are comments of the script.
std::string script_of(const std::string& exploration) {
  if (exploration.empty())
    return "";
  return "<script>//<![CDATA[\n\"use strict\";\n{\n" + exploration + std::string(kExploreScript) +
         "}\n//]]></script>\n";
}

}  // namespace
}  // namespace page

std::string report_html(const page::Content& content, const std::string& wanted_title,
                        const FieldWords& words, const std::string& exploration) {
  using namespace page;
  const std::string title = escaped_markup(title_text(content, wanted_title));
  std::string page =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'" +
      std::string(exploration.empty() ? "" : "; script-src 'unsafe-inline'") +
      "\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  page += element("title", "", title) + "\n<style>" + std::string(kStyle) +
          "</style>\n</head>\n<body>\n<header>\n" + element("h1", "", title) + "\n";
  page += element("p", attribute("class", "soft"), escaped_markup(subtitle(content))) +
          "\n</header>\n<main>\n" + cards(answers_of(content));
  page += comparison_section(content) + duration_section(content) + share_section(content) +
          scaling_section(content) + trust_section(content, words) + constant_section(content) +
          origin_section(content);
  return page + "</main>\n" + script_of(exploration) + "</body>\n</html>\n";
}

}  // namespace perfmodel
