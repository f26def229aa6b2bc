"""Write the tables of docs/findings.md anew from rck/model/codes.py: run it after adding a code."""

from pathlib import Path

from rck.model.codes import CODES, TIERS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
MARK = "<!-- From here on written by tools/findings_table.py; change rck/model/codes.py instead. -->\n"


def tables() -> str:
    """A section per tier with a row per code."""
    return "\n".join(_section(tier) for tier in TIERS)


def _section(tier: int) -> str:
    rows = [
        f"| RCK{number} | {code.title} | {code.severity} | {code.remedy} |"
        for number, code in sorted(CODES.items())
        if number // 100 == tier
    ]
    heading = f"## {tier}00: {TIERS[tier]}"
    return "\n".join(
        [heading, "", "| code | what was found | how serious | what to do |", "|---|---|---|---|", *rows, ""]
    )


def rewritten(page: str) -> str:
    """The page with its introduction as it is and its tables as the codes say."""
    introduction, _, _ = page.partition(MARK)
    return f"{introduction}{MARK}\n{tables()}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
