"""Write the tables of docs/findings.md from rck/support/finding_codes.py; run this after you add a code."""

from pathlib import Path

from rck.support.finding_codes import CODES, TIERS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
MARK = "<!-- From here on written by tools/findings_table.py; change rck/support/finding_codes.py instead. -->\n"


def tables() -> str:
    """Return a section per tier with a row per code."""
    return "\n".join(_section(tier) for tier in TIERS)


def _section(tier: int) -> str:
    rows = [
        f"| RCK{number} | {code.title} | {code.severity} | {code.remedy} |"
        for number, code in sorted(CODES.items())
        if number // 100 == tier
    ]
    heading = f"## {TIERS[tier]} (RCK{tier}xx)"
    return "\n".join([heading, "", "| code | problem | severity | remedy |", "|---|---|---|---|", *rows, ""])


def rewritten(page: str) -> str:
    """Return the page with its introduction unchanged and new tables."""
    introduction, _, _ = page.partition(MARK)
    return f"{introduction}{MARK}\n{tables()}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
