"""Errors of boundary representations."""


class BrepError(ValueError):
    """Error: a boundary representation that is damaged or of an unsupported form; the message gives the reason."""


class CrossingError(BrepError):
    """Error: a face whose boundary crosses itself, at least when its curves are divided into chords."""
