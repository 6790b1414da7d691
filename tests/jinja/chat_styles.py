"""Chat templates in the manner of those that models ship, one for each way of writing them, and conversations for them.

make_oracle_rows.py asks Jinja2 what each makes of each.
"""


def call(name, arguments, identifier="call00001"):
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def message(role, content, **more):
    return {"role": role, "content": content, **more}


WEATHER = {"type": "function", "function": {"name": "weather", "description": "Weather \"there\" & <now>.", "parameters": {
    "type": "object", "required": ["place"], "properties": {
        "place": {"type": "string", "description": "A town"}, "days": {"type": "integer", "default": 1, "nullable": True},
        "unit": {"type": "string", "enum": ["C", "F"]}, "where": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "tags": {"type": "array", "items": {"type": "string"}}}}}}
NOTHING = {"type": "function", "function": {"name": "nothing", "description": "", "parameters": {"type": "object", "properties": {}}}}
PARTS = [{"type": "text", "text": "Look: "}, {"type": "image"}, {"type": "text", "text": " nice? "}]
ASK = message("user", "Weather in Ålesund?")

REQUESTS = {
    "one": {"messages": [message("user", " Hi — 東京 🙂 \"q\"\n")]},
    "turns": {"messages": [message("system", "Be kind."), message("user", "One?"), message("assistant", "Two.\n"), message("user", "Three?")]},
    "no prompt": {"messages": [message("user", "Hi"), message("assistant", "Hello")], "kwargs": {"add_generation_prompt": False}},
    "tools": {"messages": [message("system", "Use tools."), ASK], "tools": [WEATHER, NOTHING]},
    "calls": {"messages": [
        ASK, message("assistant", "", tool_calls=[call("weather", {"place": "Ålesund", "days": 2, "where": {"lat": 62.5}, "tags": []}),
                                                  call("nothing", {}, "call00002")]),
        message("tool", "{\"t\": -3.5}", name="weather", tool_call_id="call00001"), message("tool", "ok", name="nothing", tool_call_id="call00002"),
        message("assistant", "Cold."), message("user", "Thanks")], "tools": [WEATHER]},
    "pending call": {"messages": [ASK, message("assistant", None, reasoning_content="Hm.", tool_calls=[call("weather", {"place": "x"})]),
                                  message("tool", "snow", tool_call_id="call00001")], "tools": [WEATHER, NOTHING]},
    "thinking": {"messages": [message("user", "Why?"), message("assistant", "<think>\nIt is so.\n</think>\n\nBecause."), message("user", "And?")],
                 "kwargs": {"enable_thinking": False, "reasoning_effort": "high"}},
    "parts": {"messages": [message("system", [{"type": "text", "text": "S"}]), message("user", PARTS)]},
    "documents": {"messages": [message("user", "Q?")], "documents": [{"title": "T", "text": "body\nmore"}, {"title": "U", "text": ""}],
                  "kwargs": {"controls": {"length": "long"}}},
    "wrong order": {"messages": [message("assistant", "Hi"), message("user", "Yo")]},
    "unknown role": {"messages": [message("user", "a"), message("narrator", "b")]},
    "nobody": {"messages": []},
}

STYLES = {
    "headers, built-in tools, a date": r"""{{- bos_token }}
{%- if custom_tools is defined %}{% set tools = custom_tools %}{% endif %}
{%- if not date_string is defined %}
    {%- set date_string = strftime_now("%d %b %Y") if strftime_now is defined else "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|header|>system<|end|>\n\nToday: " + date_string + "\n\n" }}
{%- if tools is not none and not tools_in_user_message | default(false) %}
    {{- "Respond with {\"name\": name, \"parameters\": dictionary}.\n\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message + "<|eot|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|header|>' + message['role'] + '<|end|>\n\n'+ message['content'] | trim + '<|eot|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '{"name": "' + tool_call.name + '", "parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {%- for arg_name, arg_val in tool_call.arguments | items %}
            {{- arg_name + '="' ~ arg_val ~ '"' }}
            {%- if not loop.last %}{{- ", " }}{%- endif %}
        {%- endfor %}
        {{- "}<|eot|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|header|>ipython<|end|>\n\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|header|>assistant<|end|>\n\n' }}
{%- endif %}
""",
    "brackets, alternation checked first": r"""{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or message.role == "tool_results" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, conversation roles must alternate user/assistant/user/assistant/...") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS][" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}{{- '"' + key + '": "' + val + '"' }}{%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}
                    {%- if not loop.last %}{{- ", " }}{%- endif %}
                {%- endfor %}
                {{- "}}" }}{%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" }}{%- endif %}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST]" + system_message + "\n\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST]" + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif (message.tool_calls is defined and message.tool_calls is not none) %}
        {{- "[TOOL_CALLS][" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {%- if not tool_call.id is defined or tool_call.id|length != 9 %}
                {{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}
            {%- endif %}
            {{- ', "id": "' + tool_call.id + '"}' }}{{- ", " if not loop.last else "]" + eos_token }}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- message["content"] + eos_token}}
    {%- elif message["role"] in ["tool", "tool_results"] %}
        {%- set content = message.content.content if message.content is mapping and message.content.content is defined else message.content %}
        {{- '[TOOL_RESULTS]{"content": ' + content|string + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
    {%- else %}
        {{- raise_exception("Only user and assistant roles are supported, not " ~ message.role) }}
    {%- endif %}
{%- endfor %}
""",
    "tags, the last query found backwards, thinking split off": r"""{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\n\n' }}{%- endif %}
    {{- "# Tools\n<tools>" }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\n</tools><|im_end|>\n" }}
{%- else %}
    {%- if messages[0].role == 'system' %}
        {{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
    {%- endif %}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}{%- set content = message.content %}{%- else %}{%- set content = '' %}{%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>' + '\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning_content = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or (not loop.last and reasoning_content)) %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + reasoning_content.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}{{- '\n' }}{%- endif %}
                {%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
                {{- '<tool_call>\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}
                {%- if tool_call.arguments is string %}{{- tool_call.arguments }}{%- else %}{{- tool_call.arguments | tojson }}{%- endif %}
                {{- '}\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\n<tool_response>\n' }}{{- content }}{{- '\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|im_end|>\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}
{%- endif %}
""",
    "one line with flags in a namespace": r"""{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='') %}{%- for message in messages %}{%- if message['role'] == 'system' %}{% set ns.system_prompt = message['content'] %}{%- endif %}{%- endfor %}{{bos_token}}{{ns.system_prompt}}{%- for message in messages %}{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<User>' + message['content']}}{%- endif %}{%- if message['role'] == 'assistant' and message['content'] is none %}{%- set ns.is_tool = false -%}{%- for tool in message['tool_calls']%}{%- if not ns.is_first %}{{'<Assistant><calls><call>' + tool['type'] + '<sep>' + tool['function']['name'] + '\n' + '```json' + '\n' + tool['function']['arguments']|tojson + '\n' + '```' + '</call>'}}{%- set ns.is_first = true -%}{%- else %}{{'\n' + '<call>' + tool['type']}}{{'</calls>'}}{%- endif %}{%- endfor %}{%- endif %}{%- if message['role'] == 'assistant' and message['content'] is not none %}{%- if ns.is_tool %}{{'</outputs>' + message['content'] + eos_token}}{%- set ns.is_tool = false -%}{%- else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}{{'<Assistant>' + content + eos_token}}{%- endif %}{%- endif %}{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}{%- if ns.is_output_first %}{{'<outputs><output>' + message['content'] + '</output>'}}{%- set ns.is_output_first = false %}{%- else %}{{'\n<output>' + message['content'] + '</output>'}}{%- endif %}{%- endif %}{%- endfor -%}{% if ns.is_tool %}{{'</outputs>'}}{% endif %}{% if add_generation_prompt and not ns.is_tool %}{{'<Assistant>'}}{% endif %}""",
    "turns with parts, the system text before the first user": r"""{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '

' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '

' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}{%- set role = "model" -%}{%- else -%}{%- set role = message['role'] -%}{%- endif -%}
    {{ '<turn>' + role + '
' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}
                {{ '<image>' }}
            {%- elif item['type'] == 'text' -%}
                {{ item['text'] | trim }}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '<end>
' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<turn>model
'}}
{%- endif -%}
""",
    "macros over a JSON schema, as Python": r"""{%- macro json_to_python_type(json_spec) %}
{%- set basic_type_map = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"} %}
{%- if basic_type_map[json_spec.type] is defined %}
{{- basic_type_map[json_spec.type] }}
{%- elif json_spec.type == "array" %}
{{- "List[" + json_to_python_type(json_spec['items']) + "]" }}
{%- elif json_spec.type == "object" %}
{{- "Dict[str, " + json_to_python_type(json_spec.additionalProperties) + "]" if json_spec.additionalProperties is defined else "Dict" }}
{%- elif json_spec.type is iterable %}
{{- "Union[" }}{%- for t in json_spec.type %}{{- json_to_python_type({"type": t}) }}{%- if not loop.last %}{{- "," }}{%- endif %}{%- endfor %}{{- "]" }}
{%- else %}
{{- "Any" }}
{%- endif %}
{%- endmacro %}
{%- for tool in tools or [] %}
{%- if tool.function is defined %}{%- set tool = tool.function %}{%- endif %}
def {{ tool.name }}({% for param_name, param_fields in tool.parameters.properties.items() %}
{{- param_name + ": " + json_to_python_type(param_fields) }}
{%- if param_fields.default is defined %} = {{ param_fields.default }}{% endif %}
{%- if not loop.last %}, {% endif %}
{%- endfor %}) -> None:
    {{ '"' * 3 }}{{ tool.description }}
{% if tool.parameters.required %}
    Needs: {{ tool.parameters.required | join(', ') }}
{% endif %}
    {{ '"' * 3 }}
{% endfor %}
{%- for message in messages recursive %}
<|{{ message.role }}|>{{ message.content if message.content is string else message.content|map(attribute='text')|select('defined')|join }}
{% endfor %}
{%- for document in documents or [] %}
Document: {{ loop.index0 }}
{%- for key, value in document|dictsort %}

{{ key|title }}: {{ value|indent(4) }}
{%- endfor %}

{% else %}
No documents.
{% endfor %}
""",
    "macros over a JSON schema, as TypeScript": r"""{%- macro render_type(spec, required_params, is_nullable=false) -%}
    {%- if spec.type == "array" -%}
        {%- if spec['items'] -%}{{- render_type(spec['items'], []) + "[]" }}{%- else -%}{{- "any[]" }}{%- endif -%}
        {%- if spec.nullable -%}{{- " | null" }}{%- endif -%}
    {%- elif spec.enum -%}
        {{- '"' + spec.enum|join('" | "') + '"' -}}
    {%- elif spec.type == "object" and spec.properties -%}
        {{- "{\n" }}
        {%- for prop_name, prop_spec in spec.properties.items() -%}
            {{- prop_name -}}{%- if prop_name not in (spec.required or []) -%}{{- "?" }}{%- endif -%}{{- ": " }}
            {{ render_type(prop_spec, spec.required or []) }}
            {%- if not loop.last -%}{{-", " }}{%- endif -%}
        {%- endfor -%}
        {{- "}" }}
    {%- elif spec.type == "integer" -%}{{- "number" }}{%- else -%}{{- spec.type or "any" }}
    {%- endif -%}
{%- endmacro -%}
{%- set developer = namespace(text=none) -%}
{%- for message in messages if message.role in ('system', 'developer') -%}{%- set developer.text = message.content -%}{%- endfor -%}
{{- "<|start|>system<|message|>Reasoning: " + reasoning_effort|default("medium") + "\n" }}
{%- if tools -%}
    {%- for tool in tools|map(attribute="function") -%}
        {{- "// " + tool.description + "\ntype " + tool.name + " = (" }}
        {%- if tool.parameters and tool.parameters.properties -%}
            {{- "_: {\n" }}
            {%- for name, spec in tool.parameters.properties.items() %}
                {%- if spec.description %}{{- "// " + spec.description + "\n" }}{%- endif %}
                {{- name }}{%- if name not in (tool.parameters.required or []) -%}{{- "?" }}{%- endif -%}{{- ": " }}
                {{- render_type(spec, required_params=tool.parameters.required) }}
                {%- if spec.default is defined -%}{{- ", // default: " + (spec.default if spec.default is string else spec.default|tojson) }}{%- endif -%}
                {%- if not loop.last %}{{- ",\n" }}{% else %}{{- ",\n" }}{%- endif -%}
            {%- endfor %}
            {{- "}) => any;\n\n" }}
        {%- else -%}
            {{- ") => any;\n\n" }}
        {%- endif -%}
    {%- endfor -%}
{%- endif -%}
{{- developer.text if developer.text is not none }}<|end|>
{%- set last_tool_call = namespace(name=none) %}
{%- for message in messages -%}
    {%- if message.role == 'assistant' and message.tool_calls -%}
        {%- for tool_call in message.tool_calls -%}
            {%- set last_tool_call.name = tool_call.function.name -%}
            {{- "<|start|>assistant to=functions." ~ last_tool_call.name ~ "<|message|>" ~ tool_call.function.arguments|tojson ~ "<|call|>" }}
            {%- break -%}
        {%- endfor -%}
    {%- elif message.role == 'tool' -%}
        {%- if last_tool_call.name is none %}{{- raise_exception("Message has tool role, but there was no previous assistant message with a tool call!") }}{%- endif %}
        {{- "<|start|>functions." + last_tool_call.name }}{{- " to=assistant<|message|>" + message.content|tojson + "<|end|>" }}
    {%- elif message.role not in ['system', 'developer'] -%}
        {{- "<|start|>" + message.role + "<|message|>" }}{{- message.content|string + ("<|return|>" if loop.last and not add_generation_prompt else "<|end|>") }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}
""",
    "text of any content through a macro, calls as XML": r"""[gMASK]<sop>
{%- macro visible_text(content) -%}
    {%- if content is string -%}
        {{- content }}
    {%- elif content is iterable and content is not mapping -%}
        {%- for item in content -%}
            {%- if item is mapping and item.type == 'text' -%}{{- item.text }}{%- elif item is string -%}{{- item }}{%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{- content }}
    {%- endif -%}
{%- endmacro -%}
{%- set ns = namespace(last_user_index=-1) %}
{%- for m in messages %}
    {%- if m.role == 'user' %}
        {%- set ns.last_user_index = loop.index0 -%}
    {%- endif %}
{%- endfor %}
{% for m in messages %}
{%- if m.role == 'user' -%}<|user|>
{{ visible_text(m.content) }}
{{- '/nothink' if (enable_thinking is defined and not enable_thinking and not visible_text(m.content).endswith("/nothink")) else '' -}}
{%- elif m.role == 'assistant' -%}
<|assistant|>
{%- set content = visible_text(m.content) %}
{%- if loop.index0 > ns.last_user_index and m.reasoning_content -%}
{{ '\n<think>' + m.reasoning_content.strip() + '</think>'}}
{%- else -%}
{{ '\n<think></think>' }}
{%- endif -%}
{%- if content.strip() -%}
{{ '\n' + content.strip() }}
{%- endif -%}
{% for tc in m.tool_calls or [] %}
{%- set tc = tc.function or tc %}
{{ '\n<tool_call>' + tc.name }}
{% set _args = tc.arguments %}
{% for k, v in _args.items() %}
<arg_key>{{ k }}</arg_key>
<arg_value>{{ v | tojson(ensure_ascii=False) if v is not string else v }}</arg_value>
{% endfor %}
</tool_call>{% endfor %}
{%- elif m.role == 'tool' -%}
{%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
    {{- '<|observation|>' }}
{%- endif %}
{{- '\n<tool_response>\n' }}
{{- m.content }}
{{- '\n</tool_response>' }}
{%- elif m.role == 'system' -%}
<|system|>
{{ visible_text(m.content) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    <|assistant|>{{- '\n<think></think>' if (enable_thinking is defined and not enable_thinking) else '' -}}
{%- endif -%}
""",
    "generation blocks, plain tags": r"""{% set system = namespace(text='You are a helpful assistant.') %}
{% for message in messages %}
  {% if message.role == 'system' %}
    {% set system.text = message.content | replace('kind', 'brief') %}
    {% continue %}
  {% endif %}
  {% if loop.first or messages[loop.index0 - 1].role == 'system' %}
<|system|>
{{ system.text }}<|end|>
  {% endif %}
  {% if message['role'] == 'assistant' %}
<|assistant|>
    {% generation %}
{{ message['content'] }}<|end|>
    {% endgeneration %}
  {% elif message['role'] in ('user', 'tool') %}
<|{{ message['role'] }}|>
{{ message['content'] }}<|end|>
  {% else %}
    {{ raise_exception('Unknown role: ' + message['role']) }}
  {% endif %}
{% else %}
(nothing)
{% endfor %}
{% if add_generation_prompt %}
<|assistant|>
{% endif %}
""",
    "capturing blocks, call blocks, filters over text": r"""{%- macro section(title, level=1) -%}
{{ '#' * level }} {{ title|upper }}
{% if caller is defined %}{{ caller(title|length) }}{% endif %}
{%- endmacro -%}
{% call(width) section('messages', level=2) %}
{% for role, group in messages|groupby('role') %}
{{ '%-10s|%3d'|format(role, group|length) }}{{ '=' * (width // 2) }}
{% endfor %}
{% endcall %}
{% set body %}
{% for message in messages %}
{{ loop.cycle('odd', 'even') }} {{ loop.index }}/{{ loop.length }}{% if loop.changed(message.role) %} *{% endif %}: {{ message.content|string|truncate(12, true, '…', 0)|tojson }}
{% endfor %}
{% endset %}
{{ body|indent(2, true)|trim }}
{% filter lower|replace('role', 'part') %}
Roles: {{ messages|map(attribute='role')|unique|sort|join(', ') }}
{% endfilter %}
{% with names = tools|default([], true)|map(attribute='function.name')|list, count = (tools or [])|length %}
{{ "{} tool{}: {!r:>12}|{:05.1f}".format(count, '' if count == 1 else 's', names|first|default('none'), count / 3) }}
{{ dict(names=names, n=count)|tojson(separators=(',', ':'), sort_keys=true) }}
{% endwith %}
{{ messages|selectattr('tool_calls', 'defined')|rejectattr('tool_calls', 'none')|map(attribute='tool_calls')|sum(start=[])|map(attribute='function.name')|join(' + ') }}
{{ documents|default([], true)|batch(1)|map('first')|map(attribute='title')|reverse|list }}
""",
}
