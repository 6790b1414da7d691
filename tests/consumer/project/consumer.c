/* Uses the installed C ABI: consumer MODEL.gguf PROMPT EXPECTED QUESTION ANSWER
 * The question goes to the built-in model. */
#include <linnet/linnet.h>
#include <stdio.h>
#include <string.h>

static char said[1024];

static int keep(const char* piece, size_t length, void* user) {
  (void)user;
  if (strlen(said) + length < sizeof said) strncat(said, piece, length);
  return 1;
}

static int complain(const char* what) {
  fprintf(stderr, "consumer: %s (%s)\n", what, linnet_last_error());
  return 1;
}

static int ask_builtin(linnet_device* device, const char* question, const char* expected) {
  linnet_message message = {"user", NULL};
  linnet_model* model = NULL;
  char* path = NULL;

  message.content = question;
  if (linnet_builtin_text_model(&path) != LINNET_OK) return complain("no built-in model");
  if (linnet_model_load(path, device, NULL, &model) != LINNET_OK) return complain("not loaded");
  if (linnet_chat(model, &message, 1, NULL, keep, NULL, NULL) != LINNET_OK) return complain("no answer");
  printf("%s: %s\n", path, said);
  if (strstr(said, expected) == NULL) return complain("the built-in model said something else");
  said[0] = 0;
  linnet_model_free(model);
  linnet_string_free(path);
  return 0;
}

int main(int count, char** arguments) {
  linnet_device* device = NULL;
  linnet_model* model = NULL;
  linnet_generate_options options = {sizeof options};
  linnet_generated generated = {sizeof generated};
  char* receipt = NULL;

  if (count != 6)
    return complain("expected a model, a prompt, what the model says to it; a question, its answer");
  if (linnet_device_open("cpu", NULL, &device) != LINNET_OK) return complain("no device");
  if (ask_builtin(device, arguments[4], arguments[5]) != 0) return 1;
  if (linnet_model_load("no such file", device, NULL, &model) != LINNET_MODEL)
    return complain("loaded nothing");
  if (linnet_model_load(arguments[1], device, NULL, &model) != LINNET_OK) return complain("no model");
  options.max_tokens = 32;
  if (linnet_generate(model, arguments[2], &options, keep, NULL, &generated) != LINNET_OK)
    return complain("no text");
  if (linnet_receipt_json(model, &receipt) != LINNET_OK) return complain("no receipt");
  printf("linnet %s: %s\n%s\n", linnet_version(), said, receipt);
  if (strstr(said, arguments[3]) == NULL) return complain("the model said something else");
  if (generated.generated_tokens == 0) return complain("no tokens were counted");

  linnet_string_free(receipt);
  linnet_model_free(model);
  linnet_device_close(device);
  return 0;
}
