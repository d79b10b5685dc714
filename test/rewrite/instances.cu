// Instances of templates take clang most of its time. Where nothing is annotated they are not made; these
// would take it a minute.
// RUN: timeout 20 %kinstr %s -arch=sm_90 -o %t.cu
// RUN: timeout 20 %kinstr --auto %s -arch=sm_90 -o %t.cu
constexpr int spin(int n) {
  int sum = 0;
  for (int i = 0; i < 200000; ++i)
    sum += i ^ n;
  return sum;
}
template <int N> int slow() {
  constexpr int Sum = spin(N);
  return Sum + slow<N - 1>();
}
template <> int slow<0>() { return 0; }
int result() { return slow<400>(); }
