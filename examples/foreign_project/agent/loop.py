"""The loop: a small one, and a careful one."""

import json


class RefusedError(ValueError):
    pass


def read(text):
    """Read arguments as RFC 8259 has them; anything but an object is refused."""

    def no_constant(name):
        raise RefusedError(f"{name} is no JSON")

    value = json.loads(text, parse_constant=no_constant)
    if not isinstance(value, dict):
        raise RefusedError("arguments must be an object")
    return value


class Agent:
    def __init__(self, model, tools, denied):
        self.model, self.tools, self.denied = model, tools, denied
        self.messages = []

    def run(self, text):
        self.messages.append({"role": "user", "text": text})
        while True:
            reply = self.model(self.messages)
            # The executable view keeps what the model sent; the stored one is always JSON.
            stored = [(one.id, one.name, stored_view(one.arguments)) for one in reply.calls]
            self.messages.append({"role": "assistant", "text": reply.text, "calls": stored})
            if not reply.calls:
                return reply.text
            answers = [self.answer(one) for one in reply.calls]
            self.messages.extend(answers)

    def answer(self, one):
        text, failed = self.execute(one)
        return {"role": "tool", "text": text, "call": one.id, "failed": failed}

    def execute(self, one):
        if one.name not in self.tools:
            return f"there is no tool {one.name}", True
        if one.name in self.denied:
            return f"{one.name} is not allowed", True
        try:
            arguments = read(one.arguments)
        except (ValueError, RecursionError) as error:
            return f"the arguments of {one.name} are not valid: {error}", True
        try:
            return self.tools[one.name](arguments, one.id), False
        except Exception as error:
            return str(error), True


def stored_view(text):
    try:
        read(text)
    except RefusedError:
        return text if is_json(text) else "{}"
    except (ValueError, RecursionError):
        return "{}"
    return text


def is_json(text):
    def no_constant(name):
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return False
    return True
