# SPDX-License-Identifier: Apache-2.0
# What the layer check refuses: includes that point up, adapters that are seen, libraries that leak.

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_layers import check

RULES = """
layer base         :
layer store        : base
layer store/sqlite : base store
layer room         : base store
only sqlite3.h     : src/store/sqlite/* tests/**/*.cpp
only boost/json    : src/**/*.cpp
unseen fmt/
"""


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("tools/layers.txt", RULES)
        self.write("src/base/CMakeLists.txt", "PUBLIC_HEADERS convene/ids.hpp")
        self.write("src/room/CMakeLists.txt", "PUBLIC_HEADERS convene/room.hpp")
        self.write("include/convene/ids.hpp", "")
        self.write("include/convene/room.hpp", "")
        self.write("src/store/sqlite/pool.hpp", "")
        self.write("src/room/lane.hpp", "")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def accepts(self, path: str, text: str) -> None:
        self.write(path, text)
        self.assertEqual(check(self.root), [])

    def refuses(self, path: str, text: str) -> None:
        self.write(path, text)
        self.assertEqual([finding.path for finding in check(self.root)], [path])

    def test_includes_that_point_down_are_accepted(self):
        self.accepts("src/store/sqlite/pool.cpp", '#include "convene/ids.hpp"\n#include <sqlite3.h>\n#include <vector>\n')
        self.accepts("include/convene/room.hpp", '#include "convene/ids.hpp"\n')

    def test_includes_that_point_up_are_refused(self):
        self.refuses("src/base/text.hpp", '#include "room/lane.hpp"\n')

    def test_public_headers_have_a_layer_too(self):
        self.refuses("src/store/store.hpp", "#include <convene/room.hpp>\n")

    def test_an_adapter_is_not_seen_by_its_port_or_the_engine(self):
        self.refuses("src/store/store.hpp", '#include "store/sqlite/pool.hpp"\n')

    def test_an_adapter_is_not_seen_by_the_engine(self):
        self.refuses("src/room/writer.cpp", '#include "store/sqlite/pool.hpp"\n')

    def test_a_unit_test_sees_its_layer_and_the_adapters_in_it(self):
        self.accepts("tests/unit/store/a_test.cpp", '#include "store/sqlite/pool.hpp"\n')
        self.refuses("tests/unit/store/b_test.cpp", '#include "room/lane.hpp"\n')

    def test_a_client_library_stays_where_it_belongs(self):
        self.refuses("src/store/store.cpp", "#include <sqlite3.h>\n")

    def test_a_library_for_sources_stays_out_of_headers(self):
        self.accepts("src/room/codec.cpp", "#include <boost/json/value.hpp>\n")
        self.refuses("src/room/codec.hpp", "#include <boost/json/value.hpp>\n")

    def test_public_headers_show_no_library(self):
        self.refuses("include/convene/room.hpp", "#include <fmt/format.h>\n")

    def test_public_headers_show_nothing_internal(self):
        self.refuses("include/convene/room.hpp", '#include "room/lane.hpp"\n')

    def test_a_public_header_needs_a_layer(self):
        self.refuses("include/convene/lost.hpp", '#include "convene/ids.hpp"\n')

    def test_a_folder_needs_a_line(self):
        self.refuses("src/mail/queue.hpp", '#include "convene/ids.hpp"\n')


if __name__ == "__main__":
    unittest.main()
