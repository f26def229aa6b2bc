"""Names where there is little room: what a thing itself is called stays readable."""


def shortened(name: str, width: int) -> str:
    """A name in so many letters, cut in the middle: of `part/joint`, the joint stays as long as it fits."""
    if len(name) <= width:
        return name
    end = len(name) - name.rfind("/") if "/" in name else width // 2
    end = min(end, width - 1)
    return f"{name[: width - 1 - end]}…{name[len(name) - end :]}"
