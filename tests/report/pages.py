"""Pages of reports as tests read them."""

from html.parser import HTMLParser

from bayesdnf.report.html import write_report

SECTIONS = ["rule", "try", "test", "rivals", "overlap", "data", "repeat"]
OF_DRAWS = [
    "rule",
    "averaged",
    "sure",
    "try",
    "test",
    "attributes",
    "rivals",
    "overlap",
    "trust",
    "data",
    "repeat",
]


class Read(HTMLParser):
    """Elements and texts of a page, as a browser without scripts would see them."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.pieces, self.raw = [], [], False
        self.feed(page)
        self.text = " ".join(" ".join(self.pieces).split()).replace("\N{NO-BREAK SPACE}", " ")

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.raw = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.raw = False

    def handle_data(self, data):
        if not self.raw:
            self.pieces.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(model, X, y, folder, **options):
    path = write_report(model, X, y, folder / "report.html", **options)
    assert path.stat().st_size < 1_500_000
    return path.read_text("utf-8")
