#pragma once
#define FLOATS 32
int report(int error);
