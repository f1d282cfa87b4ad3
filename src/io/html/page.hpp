#pragma once

#include <string>

#include "analysis/page/content.hpp"
#include "perfmodel/base/sentence.hpp"

namespace perfmodel {

/// One page of HTML that is also well-formed XML, with its style and figures inside: it loads
/// nothing, and runs nothing but the panel of `exploration`, which exploration_script() wrote; an
/// empty one means none. The same content gives the same bytes. An empty title means "TARGET: MODEL
/// on RUNS".
std::string report_html(const page::Content& content, const std::string& title,
                        const FieldWords& words, const std::string& exploration = "");

}  // namespace perfmodel
