"""Makes every golden file anew and compares it with the one in tests/golden: floats within 1e-6 relative, everything else equal.

    python3 -m venv .venv && .venv/bin/pip install -r scripts/golden/requirements.txt
    .venv/bin/python scripts/golden/check.py [NAME ...]

The scripts run in a copy of this folder, so the tree stays as it is. What needs the development data (BEZOAR_SHARED, default ../shared) or
another Python is skipped where it is not there, and named at the end. Exit code 1 when a file differs, a script fails, or one is without
the other; files that could not be compared do not fail.
"""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts" / "golden"
GOLDEN = ROOT / "tests" / "golden"
SHARED = (ROOT / os.environ.get("BEZOAR_SHARED", "../shared")).resolve()
# A sum that cancels is zero on one machine and rounding on another; nothing in the files that means anything is this small.
SMALLEST = 1e-12


def imports(script):
    return re.findall(r"^(?:from|import) (\w+)", script.read_text(encoding="utf-8"), re.M)


def needs_shared(script):
    return re.search(r"(?i)shared|import .*pools", script.read_text(encoding="utf-8")) is not None


def arguments(command):
    """What the recorded command gives the script, with ../shared where it is here."""
    words = shlex.split(command)
    start = next(i for i, word in enumerate(words) if word.endswith(".py")) + 1
    end = words.index(">") if ">" in words else len(words)
    return [re.sub(r"^\.\./shared(?=/|$)", str(SHARED), word) for word in words[start:end]]


def make(script, golden, folder):
    """Runs the script in the copy; what it makes is the file it wrote there, else what it printed."""
    made = folder / "tests" / "golden" / f"{script.stem}.json"
    environment = {**os.environ, "BEZOAR_SHARED": str(SHARED), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run(
        [sys.executable, str(folder / "scripts" / "golden" / script.name), *arguments(golden["command"])],
        cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=600,
    )
    if run.returncode != 0:
        raise RuntimeError((run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1])
    return json.loads(made.read_text(encoding="utf-8") if made.exists() else run.stdout)


def differences(old, new, path=""):
    """Places where two values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: only in the {'old' if key in old else 'new'} file"
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}: {len(old)} entries, now {len(new)}"
        for index, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(old, float) or isinstance(new, float):
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (old, new))
        if not numbers or not math.isclose(old, new, rel_tol=1e-6, abs_tol=SMALLEST):
            yield f"{path}: {old!r}, now {new!r}"
    elif type(old) is not type(new) or old != new:
        yield f"{path}: {str(old)[:60]!r}, now {str(new)[:60]!r}"


def check(script, golden, folder):
    """AGREES, DIFFERS, FAILED or SKIPPED, and a note."""
    missing = [field for field in ("tool", "version", "command") if not golden.get(field)]
    if missing:
        return "FAILED", f"does not name its {', '.join(missing)}"
    if not SHARED.is_dir() and needs_shared(script):
        return "SKIPPED", f"the development data is not at {os.environ.get('BEZOAR_SHARED', '../shared')}"
    python = re.search(r"Python (\d+\.\d+)", golden["version"])
    if python and python[1] != f"{sys.version_info.major}.{sys.version_info.minor}":
        return "SKIPPED", f"made with {golden['version']}, this is Python {sys.version_info.major}.{sys.version_info.minor}"
    try:
        new = make(script, golden, folder)
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return "FAILED", str(error)[:300]
    found = list(differences({**golden, "version": None}, {**new, "version": None}))
    version = "" if new.get("version") == golden["version"] else f"made with {golden['version']}, here {new.get('version')}"
    if found:
        more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
        return "DIFFERS", "; ".join(([version] if version else []) + found[:3]) + more
    return "AGREES", version


def main():
    scripts = {path.stem: path for path in SCRIPTS.glob("*.py") if path.stem != "check"}
    modules = {name for path in scripts.values() for name in imports(path)}
    makers = {name for name in scripts if name not in modules}
    files = {path.stem: path for path in GOLDEN.glob("*.json")}
    wanted = set(sys.argv[1:]) or makers | set(files)
    outcomes = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(SCRIPTS, folder / "scripts" / "golden", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests" / "golden").mkdir(parents=True)
        (folder / "packages").symlink_to(ROOT / "packages")  # scripts read what ships, and write nothing there
        for stem in sorted(wanted):
            started = time.monotonic()
            if stem not in makers or stem not in files:
                outcome, note = "FAILED", f"scripts/golden/{stem}.py" if stem not in makers else f"tests/golden/{stem}.json"
                note += " does not exist"
            else:
                outcome, note = check(scripts[stem], json.loads(files[stem].read_text(encoding="utf-8")), folder)
            outcomes.setdefault(outcome, []).append(stem)
            print(f"{outcome:8} {stem:18} {time.monotonic() - started:5.1f} s  {note}".rstrip(), flush=True)
    print(", ".join(f"{len(outcomes.get(outcome, []))} {outcome}" for outcome in ("AGREES", "DIFFERS", "FAILED", "SKIPPED")))
    if "SKIPPED" in outcomes:
        print(f"NOT COMPARED: {', '.join(outcomes['SKIPPED'])}", file=sys.stderr)
    sys.exit(1 if outcomes.keys() & {"DIFFERS", "FAILED"} else 0)


if __name__ == "__main__":
    main()
