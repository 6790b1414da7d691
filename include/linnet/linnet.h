/* The C ABI of Linnet: the stable one. Handles are opaque; option and result structs begin with their size,
 * so that they can grow; every call that can fail returns a status, and linnet_last_error() says more. No
 * exception crosses.
 *
 * Strings are UTF-8 and end with 0. In an option struct 0 (or NULL) always means the default, so
 * `linnet_generate_options options = {sizeof options};` is what is needed to begin with. A device and its
 * models are used by one thread at a time.
 */
#ifndef LINNET_LINNET_H
#define LINNET_LINNET_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LINNET_C_API __attribute__((visibility("default")))
#else
#define LINNET_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): C has no other way to name a type. */

/* The numbers are also the exit codes of the command line. */
typedef enum linnet_status {
  LINNET_OK = 0,
  LINNET_FAILURE = 1,      /* something went wrong while running */
  LINNET_USAGE = 2,        /* the caller asked for something that cannot be */
  LINNET_MODEL = 3,        /* a model file is missing or invalid */
  LINNET_DEVICE = 4,       /* the device asked for is not available */
  LINNET_DOES_NOT_FIT = 5, /* more memory is needed than there is */
  LINNET_INTERRUPTED = 130
} linnet_status;

/* Of the library that is loaded: "0.1.0". */
LINNET_C_API const char* linnet_version(void);

/* What the last call of this thread that failed had to say; never NULL. Valid until the thread's next call.
 */
LINNET_C_API const char* linnet_last_error(void);

/* Strings that a call hands out belong to the caller. NULL is allowed. */
LINNET_C_API void linnet_string_free(char* string);

/* -- devices
 * -----------------------------------------------------------------------------------------------------------
 */

typedef struct linnet_device linnet_device;

typedef struct linnet_device_options {
  size_t size;                 /* sizeof(linnet_device_options) */
  uint32_t threads;            /* 0: one per processor this process may use */
  uint32_t reserved;           /* 0 */
  const char* instruction_set; /* NULL: the best this processor has; else e.g. "avx2" */
} linnet_device_options;

/* `name` is "auto" (also NULL) or a backend's name. `options` may be NULL. */
LINNET_C_API linnet_status linnet_device_open(const char* name, const linnet_device_options* options,
                                              linnet_device** device);
/* Models keep what they need of it: it may be closed before they are freed. NULL is allowed. */
LINNET_C_API void linnet_device_close(linnet_device* device);
/* Every backend this version knows, as a JSON array. */
LINNET_C_API linnet_status linnet_backends_json(char** json);

/* -- text models
 * ------------------------------------------------------------------------------------------------------- */

typedef struct linnet_model linnet_model;

typedef struct linnet_model_options {
  size_t size;      /* sizeof(linnet_model_options) */
  uint32_t context; /* tokens of prompt and answer together; 0: the model's own, at most 4096 */
  uint32_t slots;   /* sequences there is room for; 0: one */
  const char* kv;   /* "f32", "f16" or "bf16"; NULL: what suits the device */
  /* Bytes of the file that are done, and in all; 0 stops loading with LINNET_INTERRUPTED. May be NULL. */
  int (*progress)(size_t done, size_t total, void* user);
  void* progress_user;
} linnet_model_options;

/* The path of the small text model that comes with Linnet: what the environment's LINNET_BUILTIN says, else
 * in share/linnet beside the library. LINNET_MODEL if there is none. */
LINNET_C_API linnet_status linnet_builtin_text_model(char** path);

/* `path` is a GGUF file or any part of one, or a folder that holds a model: safetensors with config.json and
 * tokenizer.json as Hugging Face lays them out, or one GGUF file. */
LINNET_C_API linnet_status linnet_model_load(const char* path, linnet_device* device,
                                             const linnet_model_options* options, linnet_model** model);
/* NULL is allowed. */
LINNET_C_API void linnet_model_free(linnet_model* model);

typedef struct linnet_memory_plan {
  size_t size; /* sizeof(linnet_memory_plan), set by the caller */
  uint64_t weights;
  uint64_t kv;
  uint64_t scratch;
  uint64_t other;
  uint64_t total;
  uint64_t available; /* what the device has free now */
  uint32_t fits;      /* 1 if total ≤ available */
  uint32_t context;
  uint32_t slots;
  uint32_t reserved;
} linnet_memory_plan;

/* What a model will need, from the files' headers alone. A model that does not fit is no error here. */
LINNET_C_API linnet_status linnet_plan(const char* path, linnet_device* device,
                                       const linnet_model_options* options, linnet_memory_plan* plan);

typedef struct linnet_generate_options {
  size_t size; /* sizeof(linnet_generate_options) */
  uint64_t seed;
  uint32_t max_tokens;     /* 0: until the model ends or the context is full */
  uint32_t top_k;          /* 0: all */
  float temperature;       /* 0: greedy */
  float top_p;             /* 0: 1 */
  const char* const* stop; /* strings that end the text; they are not part of it */
  size_t stop_count;
  /* Asked between steps, also while the prompt is read; anything but 0 ends the generation. May be NULL. */
  int (*cancelled)(void* user);
  void* cancelled_user;
} linnet_generate_options;

typedef enum linnet_finish_reason {
  LINNET_FINISH_STOP = 0,     /* the model ended, or a stop string was met */
  LINNET_FINISH_LENGTH = 1,   /* max_tokens */
  LINNET_FINISH_CONTEXT = 2,  /* the context is full */
  LINNET_FINISH_CANCELLED = 3 /* a callback wanted no more */
} linnet_finish_reason;

typedef struct linnet_generated {
  size_t size; /* sizeof(linnet_generated), set by the caller */
  uint32_t finish_reason;
  uint32_t prompt_tokens;
  uint32_t generated_tokens;
  uint32_t kept_tokens; /* of the prompt: kept from the linnet_chat() before, not read again */
  double first_token_seconds;
  double prompt_seconds;
  double decode_seconds; /* from the first token to the last */
} linnet_generated;

/* A piece of text, valid UTF-8, `length` bytes and a 0; returning 0 stops. */
typedef int (*linnet_text_callback)(const char* piece, size_t length, void* user);

/* `options`, `on_text` and `generated` may be NULL. */
LINNET_C_API linnet_status linnet_generate(linnet_model* model, const char* prompt,
                                           const linnet_generate_options* options,
                                           linnet_text_callback on_text, void* user,
                                           linnet_generated* generated);

/* One message of a conversation. */
typedef struct linnet_message {
  const char* role; /* "system", "user" or "assistant" */
  const char* content;
} linnet_message;

/* The next message of the assistant, to a conversation that goes through the model's chat template;
 * LINNET_MODEL if it has none. Where a conversation goes on from the last call, only what is new is read.
 * `options`, `on_text` and `generated` may be NULL. */
LINNET_C_API linnet_status linnet_chat(linnet_model* model, const linnet_message* messages, size_t count,
                                       const linnet_generate_options* options, linnet_text_callback on_text,
                                       void* user, linnet_generated* generated);
/* 1 if the model has a chat template, else 0. */
LINNET_C_API linnet_status linnet_has_chat_template(const linnet_model* model, int* has);

/* Writes at most `capacity` ids and always the number of all of them; call it with capacity 0 (ids may then
 * be NULL) to learn that. Too small a capacity is LINNET_USAGE, unless it is 0. */
LINNET_C_API linnet_status linnet_tokenize(const linnet_model* model, const char* text, int add_special,
                                           int32_t* ids, size_t capacity, size_t* count);
LINNET_C_API linnet_status linnet_detokenize(const linnet_model* model, const int32_t* ids, size_t count,
                                             char** text);

/* What the last linnet_generate() or linnet_chat() ran: {"backend", "device", "runs", "seconds", "bytes",
 * "ops": [{"op", "count", "seconds", "bytes"}]}. */
LINNET_C_API linnet_status linnet_receipt_json(const linnet_model* model, char** json);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
