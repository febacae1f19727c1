// Every flag that this program was linked with, one a line: name, type, default, "no" when --noNAME turns it off.
#include <gflags/gflags.h>

#include <iostream>
#include <string>
#include <vector>

static bool turned_off(const std::string& name) {
  gflags::SetCommandLineOption(name.c_str(), "true");
  std::vector<std::string> words = {"program", "--no" + name};
  std::vector<char*> given;
  for (std::string& word : words) given.push_back(word.data());
  int count = static_cast<int>(given.size());
  char** list = given.data();
  gflags::ParseCommandLineFlags(&count, &list, false);
  std::string now;
  return gflags::GetCommandLineOption(name.c_str(), &now) && now == "false";
}

int main() {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  for (const gflags::CommandLineFlagInfo& flag : flags) {
    if (flag.filename.find("gflags.cc") != std::string::npos || flag.filename.find("gflags_") != std::string::npos) continue;
    const bool off = flag.type == "bool" && turned_off(flag.name);
    std::cout << flag.name << '\t' << flag.type << '\t' << flag.default_value << '\t' << (off ? "no" : "") << '\n';
  }
}
