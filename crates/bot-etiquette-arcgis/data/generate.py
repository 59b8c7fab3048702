#!/usr/bin/env python3
"""Writes the tables beside this file from PROJ's database, through pyproj (3.7.2, PROJ 9.5.1).

Sources: Esri's code changes and definitions (projection-engine-db-doc, Apache-2.0) and EPSG's areas of use, both as PROJ ships them.
The lines of each table are sorted by code, so that a lookup is a binary search in the text.
    codes.txt  Esri code, the EPSG code that replaced it
    areas.txt  EPSG or Esri code, area of use: west south east north in whole degrees, rounded outwards
    definitions.txt  proj strings of Esri codes that no EPSG code replaced, and of EPSG codes that the crate crs-definitions lacks

Run it as `generate.py DEFS`, where DEFS is `src/defs.rs` of the version of crs-definitions that the crate builds with.
"""
import math
import pathlib
import re
import sqlite3
import sys
import warnings

import pyproj

HERE = pathlib.Path(__file__).resolve().parent
warnings.filterwarnings("ignore")  # pyproj warns that a proj string says less than the whole definition


def main():
    db = sqlite3.connect(pathlib.Path(pyproj.datadir.get_data_dir()) / "proj.db")
    changes = dict(db.execute(
        "select deprecated_code, replacement_code from deprecation where deprecated_auth_name = 'ESRI' "
        "and replacement_auth_name = 'EPSG' and table_name in ('projected_crs', 'geodetic_crs') order by 1"))
    changes |= {102113: 3857, 3785: 3857, 900913: 3857}  # forms of Web Mercator
    write("codes.txt", [f"{int(old):6} {int(new):5}" for old, new in sorted(changes.items(), key=lambda pair: int(pair[0]))])

    areas = {}
    for code, *box in db.execute(
            "select u.object_code, e.west_lon, e.south_lat, e.east_lon, e.north_lat from usage u join extent e "
            "on e.auth_name = u.extent_auth_name and e.code = u.extent_code "
            "where u.object_table_name in ('projected_crs', 'geodetic_crs') and u.object_auth_name in ('EPSG', 'ESRI')"):
        if not str(code).isdigit() or None in box:
            continue
        west, south, east, north = box
        areas[int(code)] = (math.floor(west), math.floor(south), math.ceil(east), math.ceil(north))
    write("areas.txt", ["{:6} {:4} {:3} {:4} {:3}".format(code, *box) for code, box in sorted(areas.items())])

    known = set(re.findall(r"\|(\d+)\s*\|", pathlib.Path(sys.argv[1]).read_text()))
    lines = []
    for authority, code in db.execute(
            "select auth_name, code from projected_crs where auth_name in ('EPSG', 'ESRI') and deprecated = 0 union "
            "select auth_name, code from geodetic_crs where auth_name in ('EPSG', 'ESRI') and type = 'geographic 2D' "
            "and deprecated = 0"):
        if authority == "EPSG" and str(code) in known:
            continue
        try:
            text = pyproj.CRS.from_authority(authority, code).to_proj4()
        except pyproj.exceptions.CRSError:
            continue
        words = [word for word in text.split() if word not in ("+no_defs", "+type=crs")]
        if words:
            lines.append((int(code), f"{code} {' '.join(words)}"))
    write("definitions.txt", [line for _, line in sorted(lines)])


def write(name, lines):
    (HERE / name).write_text("".join(line + "\n" for line in lines))
    print(name, len(lines), "lines")


main()
