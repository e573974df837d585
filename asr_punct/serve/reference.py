"""The page about all requests and answers, made from the OpenAPI description; it loads nothing from other sites."""

from __future__ import annotations

import json
from typing import Any

from jinja2 import Environment

from asr_punct.serve.schema import ClientMessage, ServerMessage

_TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ api.info.title }}: requests and answers</title>
<link rel="stylesheet" href="page/reference.css">
<h1>{{ api.info.title }} {{ api.info.version }}</h1>
<p>{{ api.info.description }}</p>
{% for path, methods in api.paths.items() %}{% for method, operation in methods.items() %}
<h2><code>{{ method | upper }} {{ path }}</code></h2>
<p>{{ operation.description }}</p>
{% if operation.parameters %}<table>
{% for each in operation.parameters %}<tr><th><code>?{{ each.name }}=</code></th><td>{{ each.description }}</td></tr>
{% endfor %}</table>{% endif %}
{% for kind, content in (operation.requestBody or {}).get("content", {}).items() %}
<details><summary>Request as {{ kind }}</summary><pre>{{ content.schema | text }}</pre></details>{% endfor %}
{% for status, answer in operation.responses.items() %}
<details><summary>Answer {{ status }}: {{ answer.description }}</summary>
<pre>{% for content in (answer.content or {}).values() %}{{ content.schema | text }}{% endfor %}</pre></details>
{% endfor %}{% endfor %}{% endfor %}
<h2><code>WS /v1/stream</code></h2>
{% for title, schema in messages.items() %}
<details><summary>{{ title }}</summary><pre>{{ schema | text }}</pre></details>{% endfor %}
<h2>Schemas</h2>
{% for name, schema in api.components.schemas.items() %}
<details><summary>{{ name }}</summary><pre>{{ schema | text }}</pre></details>{% endfor %}
</html>
"""


def reference_page(api: dict[str, Any]) -> str:
    """Return an HTML page that shows an OpenAPI description and the messages of streams."""
    environment = Environment(autoescape=True)
    environment.filters["text"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    messages = {"Message of a client": ClientMessage.model_json_schema(), "Answer": ServerMessage.model_json_schema()}
    return environment.from_string(_TEMPLATE).render(api=api, messages=messages)
