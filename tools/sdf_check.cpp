// Load SDF and URDF files as Gazebo does, and say what libsdformat finds wrong: exit code 1 if anything.
#include <iostream>
#include <sdf/sdf.hh>

int main(int count, char **files) {
  int wrong = 0;
  for (int i = 1; i < count; ++i) {
    sdf::Root root;
    for (const auto &error : root.Load(files[i])) {
      std::cout << files[i] << ": " << error.Message() << "\n";
      wrong = 1;
    }
  }
  return wrong;
}
