"""The importer of the plugin guide keeps the importer contract."""

import re
from pathlib import Path

from rck.testing.importers import check_importer

PAGE = Path(__file__).parents[2] / "docs" / "plugins" / "README.md"


def test_importer_of_the_guide_keeps_the_contract(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (text,) = [block for block in blocks if "def rck_importers" in block]
    names = {}
    exec(compile(text, PAGE, "exec"), names)
    good = tmp_path / "city.tower"
    good.write_text("tower\nground 100 20\nfirst 80 30\nsecond 60 30\n")
    (tmp_path / "others").mkdir()
    (importer,) = names["rck_importers"]()
    check_importer(importer, good, tmp_path / "others")
    imported = importer.read(good, {}, names["Job"]())
    assert [joint.name for joint in imported.parts[0].joints] == ["first-turn", "second-turn"]
