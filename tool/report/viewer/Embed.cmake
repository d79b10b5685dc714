# Writes the viewer's parts into a C++ file, as arrays: string literals have a largest length.
function(add_function name content)
  string(HEX "${content}" hex)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND source "static constexpr unsigned char ${name}Bytes[] = {\n${bytes}};\n"
         "StringRef ${name}() {\n  return {reinterpret_cast<const char *>(${name}Bytes), sizeof(${name}Bytes)};\n}\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

# file(READ) would take [ and ; of a text for its own syntax in lists; nothing here is a list.
foreach(part head body)
  file(READ ${FOLDER}/${part}.html ${part})
endforeach()
file(READ ${FOLDER}/style.css style)
file(READ ${SCRIPT} script)

set(source "// Made by viewer/Embed.cmake.\n#include \"report/HtmlViewer.h\"\n\nusing llvm::StringRef;\n\nnamespace kinstr::report {\n")
add_function(viewerHead "${head}")
add_function(viewerBody "<style>\n${style}</style>\n${body}")
add_function(viewerEnd "<script>\n${script}</script>\n</body>\n</html>\n")
string(APPEND source "} // namespace kinstr::report\n")
file(WRITE ${OUT} "${source}")
