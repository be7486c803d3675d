"""The contract of nulls: each has a problem whose field is its path or a path above it."""

WITHOUT_REASON = {"probes", "labels"}  # a problem's own path and error may be null


def nulls(value, path=""):
    """Paths of all nulls: members joined by ".", "[]" for list elements, map keys as they are."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, each in value.items():
            if path or key not in WITHOUT_REASON:
                yield from nulls(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for each in value:
            yield from nulls(each, path + "[]")


def speaks_for(field, path):
    return path == field or (path.startswith(field) and path[len(field)] in ".[")


def nulls_without_reason(inventory):
    fields = {problem["field"] for probe in inventory["probes"] for problem in probe["problems"]}
    return sorted({path for path in nulls(inventory)
                   if not any(speaks_for(field, path) for field in fields)})
