/* Asks the model that comes with Linnet, from C: ask QUESTION */
#include <linnet/linnet.h>
#include <stdio.h>

static int show(const char* piece, size_t length, void* user) {
  (void)user;
  fwrite(piece, 1, length, stdout);
  fflush(stdout);
  return 1; /* 0 stops */
}

int main(int count, char** arguments) {
  linnet_device* device = NULL;
  linnet_model* model = NULL;
  linnet_message question = {"user", NULL};
  char* path = NULL;
  linnet_status status;

  if (count != 2) {
    fprintf(stderr, "usage: ask QUESTION\n");
    return LINNET_USAGE;
  }
  question.content = arguments[1];
  status = linnet_builtin_text_model(&path);
  if (status == LINNET_OK) status = linnet_device_open("auto", NULL, &device);
  if (status == LINNET_OK) status = linnet_model_load(path, device, NULL, &model);
  if (status == LINNET_OK) status = linnet_chat(model, &question, 1, NULL, show, NULL, NULL);
  if (status == LINNET_OK) printf("\n");
  if (status != LINNET_OK) fprintf(stderr, "ask: %s\n", linnet_last_error());
  linnet_model_free(model);
  linnet_device_close(device);
  linnet_string_free(path);
  return status;
}
