"""Writes what Jinja2 makes of our templates: oracle_rows.json and oracle_chats.json.

    make_oracle_rows.py [FOLDER]

Made with Jinja2 3.1.6 on Python 3.11. A row of the first is {"template", "context"?, "expected"} or {…, "error"}; rows
without a context use {}. The second has "requests" by name and "styles": {"style", "template", "results"}, with a result for
each request. Add templates to oracle_templates.py and chat_styles.py.
"""
import json
import os
import sys

import jinja2

import chat_styles
import oracle_environment
import oracle_templates

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def feature_rows():
    for template, context in oracle_templates.all_rows():
        row = {"template": template}
        if context:
            row["context"] = context
        row.update(oracle_environment.render(template, context))
        yield row


def style_rows():
    for style, template in chat_styles.STYLES.items():
        results = {}
        for name, request in chat_styles.REQUESTS.items():
            variables = {"tools": None, "documents": None, "add_generation_prompt": True, **TOKENS, **request}
            variables.update(variables.pop("kwargs", {}))
            results[name] = oracle_environment.render(template, variables)
        yield {"style": style, "template": template, "results": results}


def lines(rows):
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    features, styles = list(feature_rows()), list(style_rows())
    with open(os.path.join(folder, "oracle_rows.json"), "w") as out:
        out.write(lines(features) + "\n")
    requests = {name: {**request, **TOKENS} for name, request in chat_styles.REQUESTS.items()}
    with open(os.path.join(folder, "oracle_chats.json"), "w") as out:
        out.write('{"requests": ' + json.dumps(requests, ensure_ascii=False) + ',\n"styles": ' + lines(styles) + "}\n")
    results = features + [result for style in styles for result in style["results"].values()]
    print(len(results), "results,", sum("error" in row for row in results), "of them errors, Jinja2", jinja2.__version__)


if __name__ == "__main__":
    main()
