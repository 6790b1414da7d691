/* The whole C ABI from C, end to end: c_program MODEL [DEVICE]. Prints what went wrong and returns 1, or
   returns 0; 77 if there is no such device. */
#include <linnet/linnet.h>
#include <stdio.h>
#include <string.h>

#define REQUIRE(condition)                                                        \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%d: %s: %s\n", __LINE__, #condition, linnet_last_error()); \
      return 1;                                                                   \
    }                                                                             \
  } while (0)

struct collected {
  char text[4096];
  size_t length;
};

static int collect(const char* piece, size_t length, void* user) {
  struct collected* into = user;
  if (into->length + length >= sizeof into->text) return 0;
  memcpy(into->text + into->length, piece, length + 1);
  into->length += length;
  return 1;
}

int main(int argc, char** argv) {
  linnet_device_options device_options = {sizeof device_options, 1, 0, NULL};
  linnet_model_options model_options = {sizeof model_options, 128, 0, "f32", NULL, NULL};
  linnet_generate_options options;
  linnet_generated generated;
  linnet_memory_plan plan;
  linnet_device* device = NULL;
  linnet_model* model = NULL;
  struct collected said = {"", 0};
  int32_t ids[64];
  size_t count = 0;
  char* json = NULL;
  const char* name = argc == 3 ? argv[2] : "cpu";
  char backend[64];
  int status;

  if (argc != 2 && argc != 3) return 2;
  REQUIRE(strlen(linnet_version()) >= 5);
  status = linnet_device_open(name, &device_options, &device);
  if (status == LINNET_DEVICE) {
    fprintf(stderr, "skipped: %s\n", linnet_last_error());
    return 77;
  }
  REQUIRE(status == LINNET_OK);

  memset(&plan, 0, sizeof plan);
  plan.size = sizeof plan;
  REQUIRE(linnet_plan(argv[1], device, &model_options, &plan) == LINNET_OK);
  REQUIRE(plan.fits == 1 && plan.context == 128 && plan.total > plan.weights);

  REQUIRE(linnet_model_load(argv[1], device, &model_options, &model) == LINNET_OK);
  linnet_device_close(device);
  REQUIRE(linnet_tokenize(model, "The linnet", 1, ids, 64, &count) == LINNET_OK && count > 0);

  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.max_tokens = 32;
  memset(&generated, 0, sizeof generated);
  generated.size = sizeof generated;
  REQUIRE(linnet_generate(model, "The linnet", &options, collect, &said, &generated) == LINNET_OK);
  REQUIRE(strstr(said.text, "is a small finch that sings from every hedge.") != NULL);
  REQUIRE(generated.finish_reason == LINNET_FINISH_STOP && generated.prompt_tokens == count);

  REQUIRE(linnet_receipt_json(model, &json) == LINNET_OK);
  snprintf(backend, sizeof backend, "\"backend\":\"%s\"", name);
  REQUIRE(strstr(json, backend) != NULL);
  linnet_string_free(json);
  REQUIRE(linnet_backends_json(&json) == LINNET_OK && json[0] == '[');
  linnet_string_free(json);

  REQUIRE(linnet_model_load("/nowhere.gguf", NULL, NULL, NULL) == LINNET_USAGE);
  REQUIRE(strlen(linnet_last_error()) > 0);
  linnet_model_free(model);
  return 0;
}
