"""Random templates, each rendered by Jinja2 and by jinja_render_lines; prints where they differ.

    random_templates.py BUILD_FOLDER/tests/jinja/jinja_render_lines [COUNT [SEED]]
"""
import json
import random
import re
import subprocess
import sys
import warnings

import oracle_environment
from oracle_templates import CONTEXT

NAMES = list(CONTEXT) + ["nope", "i", "ns.a"]
TEXTS = ["''", "'a'", "'Hello World'", "'a,b,c'", "' x '", "'é東🙂'", "'%s'", "'12'", "'-3.5'", "'{}'", "'a\\nb'", "'aXbX'", "'name'", "'age'", "'0'"]
FILTERS = """abs batch(2) batch(2,0) capitalize center(9) count d('z') default('q',true) dictsort e first float float(1.5) format(1) groupby('age')
    indent indent(2,true) int int(3) items join join(',') last length list lower map('upper') map(attribute='name') map('string') max min reject('odd') reject
    rejectattr('tags') replace('a','b') replace('l','') reverse round round(1) round(1,'floor') select select('string') selectattr('name') selectattr('age','gt',26)
    slice(2) sort sort(reverse=true) sort(attribute='age') string sum title tojson tojson(indent=2) trim trim('a') truncate(5) unique upper urlencode wordcount
    attr('upper') sum(start=1) join('-',attribute='name') tojson(sort_keys=true) list|first list|last sort|list unique|list map('length')|list
    select('defined')|list batch(3)|list items|list reverse|list slice(3)|list
    striptags urlize urlize(4) xmlattr wordwrap(3) wordwrap(5,false) filesizeformat filesizeformat(true) pprint""".split()
TESTS = """boolean callable defined divisibleby(2) eq(1) even false float in([1,'a']) integer iterable lower lt(5) mapping ne(2) none number odd sameas(none)
    sequence string true undefined upper gt(1) filter test""".split()
METHODS = """upper() lower() title() capitalize() swapcase() strip() lstrip() rstrip() split() split(',') split(',',1) rsplit(none,1) splitlines() startswith('H') endswith('d')
    find('o') rfind('o') count('a') replace('l','L') isalpha() isdigit() isupper() islower() isspace() istitle() isalnum() zfill(8) center(9,'*') ljust(7) rjust(7)
    join(words) partition('o') rpartition('o') removeprefix('He') removesuffix('ld') format(1,2) get('a') get('zz',1) keys() values() items() index('a') index(1) copy()
    append(1) pop() name age items()|list keys()|list strip('Hd') nope nope() a b""".split()
BINARY = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">", "<=", ">=", "in", "not in", "and", "or"]


def expression(r, depth):
    kind = r.randrange(14) if depth > 0 else r.randrange(4)
    inner = lambda: expression(r, depth - 1)
    if kind == 0:
        return str(r.choice([0, 1, 2, 3, -1, 7, 10, 100]))
    if kind == 1:
        return r.choice(["1.5", "0.1", "2.0", "1e3", "true", "false", "none", "1e17"])
    if kind == 2:
        return r.choice(TEXTS)
    if kind == 3:
        return r.choice(NAMES)
    if kind == 4:
        op = r.choice(BINARY)
        right = r.choice(["2", "0", "-1", "3"]) if op == "**" else inner()
        return f"({inner()} {op} {right})" if r.random() < .6 else f"{inner()} {op} {right}"
    if kind in (5, 6):
        return f"{inner()}|{r.choice(FILTERS)}"
    if kind == 7:
        return f"{inner()} is {r.choice(['', 'not '])}{r.choice(TESTS)}"
    if kind in (8, 9):
        return f"({inner()}).{r.choice(METHODS)}"
    if kind == 10:
        bounds = [r.choice(["", "0", "1", "-1", "2", "-3", "100"]) for _ in range(2)]
        return f"({inner()})[{bounds[0]}:{bounds[1]}{r.choice(['', ':2', ':-1', ':-2'])}]"
    if kind == 11:
        return f"({inner()})[{r.choice(['0', '1', '-1', '5', inner()])}]"
    if kind == 12:
        return r.choice(["[%s, %s]", "(%s, %s)", "{'k': %s, 'j': %s}", "(%s if %s else 1)", "[%s]|list + [%s]"]) % (inner(), inner())
    return r.choice(["not %s", "-%s", "(%s)", "f(%s)", "range(3)[%s]", "dict(a=%s).a", "[%s]|tojson"]) % inner()


def statement(r, depth):
    e = lambda: expression(r, 2)
    body = lambda: statement(r, depth - 1)
    w = lambda: r.choice(["%}", "%}", "-%}", "+%}"])
    b = lambda: r.choice(["{%", "{%", "{%-", "{%+", " {%", "\n  {%"])
    kind = r.randrange(13) if depth > 0 else 0
    if kind <= 2:
        return r.choice([" ", "\n", "x", "", "  \n "]) + "{{" + r.choice(["", "-"]) + " " + expression(r, 3) + " " + r.choice(["", "-"]) + "}}" + r.choice(["\n", " ", ""])
    if kind == 3:
        return f"{b()} if {e()} {w()}{body()}{b()} else {w()}\n{body()}{b()} endif {w()}"
    if kind == 4:
        cond = r.choice(["", f" if {e()}"])
        inside = r.choice(["{{ loop.index }}", "{{ loop.last }}", "{{ loop.length }}", "{{ loop.nextitem }}", "{{ loop.previtem }}", "{{ loop.changed(i) }}", "{{ i }}",
                           "{% if loop.index > 2 %}{% break %}{% endif %}", "{% if i %}{% continue %}{% endif %}"])
        return f"{b()} for i in {e()}{cond} {w()}{inside}{body()}{b()} endfor {w()}"
    if kind == 5:
        return f"{b()} set {r.choice(['n', 's', 'i', 'ns.a', 'q'])} = {e()} {w()}"
    if kind == 6:
        return f"{b()} set q {w()}{body()}{b()} endset {w()}[{{{{ q }}}}]"
    if kind == 7:
        return f"{b()} macro f(a, b={e()}) {w()}{body()}{{{{ a }}}}{b()} endmacro {w()}{{{{ f({e()}) }}}}"
    if kind == 8:
        return f"{b()} with i = {e()} {w()}{body()}{b()} endwith {w()}"
    if kind == 9:
        return f"{b()} filter {r.choice(['upper', 'trim', 'title', 'length'])} {w()}{body()}{b()} endfilter {w()}"
    if kind == 10:
        name = f"b{r.randrange(10 ** 9)}"
        again = r.choice(["", "{{ self.%s() }}" % name])
        return f"{b()} block {name}{r.choice(['', ' scoped'])} {w()}{body()}{b()} endblock {w()}{again}"
    if kind == 11:
        return r.choice(["{{ self.nope is defined }}", "{% if f %}{% include 'a' %}{% endif %}", "{{ super is defined }}"])
    return body() + body()


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    warnings.simplefilter("ignore", SyntaxWarning)
    r = random.Random(seed)
    rows = []
    for number in range(count):
        template = "{{ " + expression(r, 3) + " }}" if number % 2 else "{% set ns = namespace(a=1) %}" + statement(r, 3)
        rows.append((template, oracle_environment.render(template, CONTEXT)))
    request = {"messages": [], "kwargs": CONTEXT, "now": oracle_environment.NOW.isoformat()}
    lines = "".join(json.dumps({"template": template, **request}) + "\n" for template, _ in rows)
    out = subprocess.run([program], input=lines, capture_output=True, text=True)
    ours = [json.loads(line) for line in out.stdout.split("\n") if line]
    print(len(ours), "answers of", len(rows), "exit", out.returncode, out.stderr[-500:])
    differences = refusals = 0
    for (template, theirs), mine in zip(rows, ours):
        refusals += "error" in theirs
        text = theirs.get("expected", "")
        if " object at 0x" in text or "<generator object" in mine.get("out", "").lower() or "<built-in method" in text or "<bound method" in text or "<function" in text or "<class" in text or "Markup(" in text:
            continue  # addresses and types that are Python's own
        if "expected" in theirs and re.search("is not subscriptable|unhashable type: 'slice'", mine.get("error", "")):
            continue  # constant folding makes an undefined value of this error: of (5)[1:], not of n[1:]
        if ("error" in theirs) != ("error" in mine) or theirs.get("expected") != mine.get("out"):
            differences += 1
            print("---", repr(template), "\n  jinja2:", theirs, "\n  ours:  ", mine)
    print(differences, "differences;", refusals, "of", len(rows), "are errors in Jinja2")


if __name__ == "__main__":
    main()
