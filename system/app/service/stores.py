"""The stores that claims can be checked against: the files of one folder, by name."""

from pathlib import Path


class UnknownStore(Exception):
    """The service has no store of this name."""


class Stores:
    """The files ``NAME.json`` of a folder.

    A name is looked up in the folder's own listing; no path is ever made of it, so it can lead nowhere else.

    Args:
        folder: None where claims come with documents only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._listing())

    def __getitem__(self, name: str) -> Path:
        """The file of a store.

        Raises:
            UnknownStore: the listing has no such name.
        """
        try:
            return self._listing()[name]
        except KeyError:
            raise UnknownStore("no store has this name; GET /stores lists all names") from None

    def _listing(self) -> dict[str, Path]:
        files = self._folder.glob("[!.]*.json") if self._folder else ()
        return {file.stem: file for file in files if file.is_file()}
