"""The environment in which transformers renders chat templates, on Jinja2 alone."""
import datetime
import json

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 11, 15, 12, 34, 56)


class Generation(Extension):
    """{% generation %}…{% endgeneration %}: its body, in a scope of its own."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def make():
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = NOW.strftime
    return environment


ENVIRONMENT = make()


def render(template, context):
    """{"expected": text} or {"error": what was raised}."""
    try:
        text = ENVIRONMENT.from_string(template).render(**json.loads(json.dumps(context)))
        text.encode()
        return {"expected": text}
    except RecursionError:
        return {"error": "RecursionError"}
    except Exception as error:  # every refusal counts: what is compared is that there is one
        return {"error": f"{type(error).__name__}: {error}"[:200]}
