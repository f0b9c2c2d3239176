// SPDX-License-Identifier: BSD-3-Clause
// A management library with one card that tells known numbers, and one that tells nothing but its name.
#include <cstdint>
#include <cstring>

namespace {

constexpr int kOk = 0, kNotSupported = 3;
int cards[2] = {0, 1};

bool silent(void* device) { return device == &cards[1]; }

int tell(void* device, unsigned value, unsigned* out) {
  if (silent(device)) return kNotSupported;
  *out = value;
  return kOk;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return kOk; }
int nvmlShutdown() { return kOk; }
const char* nvmlErrorString(int) { return "an error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::strncpy(text, "580.1", length);
  return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &cards[index];
  return kOk;
}
int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  std::strncpy(text, silent(device) ? "Silent card" : "Test card", length);
  return kOk;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  if (silent(device)) return kNotSupported;
  total_free_used[0] = 1000;
  total_free_used[1] = 400;
  total_free_used[2] = 600;
  return kOk;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_memory) {
  if (silent(device)) return kNotSupported;
  gpu_memory[0] = 75;
  gpu_memory[1] = 20;
  return kOk;
}
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* out) {
  return tell(device, sensor == 0 ? 55 : 0, out);
}
int nvmlDeviceGetClockInfo(void* device, unsigned which, unsigned* out) {
  return tell(device, which == 1 ? 1500 : 2600, out);
}
int nvmlDeviceGetMaxClockInfo(void* device, unsigned, unsigned* out) { return tell(device, 1980, out); }
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* out) { return tell(device, 5, out); }
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* out) { return tell(device, 8, out); }
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* out) { return tell(device, 16, out); }
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* out) {
  return link < 6 ? tell(device, link < 4 ? 1 : 0, out) : kNotSupported;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* out) { return tell(device, 350500, out); }
}
