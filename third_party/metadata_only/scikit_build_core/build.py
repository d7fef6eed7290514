"""Stands in for the archive's build back end while pip downloads it.

`pip download` of a source distribution asks the back end for metadata before it hands over the
file. The real one would install build tools that nothing pins and run the archive's own build
scripts (40 s). All we want is the checked file, so this one answers from PKG-INFO.
"""

import email
import pathlib
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path("PKG-INFO")
    fields = email.message_from_string(info.read_text(encoding="utf-8"))
    name = fields["Name"].replace("-", "_")
    folder = pathlib.Path(metadata_directory, f"{name}-{fields['Version']}.dist-info")
    folder.mkdir(parents=True)
    shutil.copy(info, folder / "METADATA")
    return folder.name
