#include "scale.h"
#include <cstdio>

int report(int error)
{
  std::printf("cuda error %d\n", error);
  return error != 0;
}
