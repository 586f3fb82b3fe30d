"""Run the reference implementation of FEASIBLE: the user's Java classes, driven from here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from qaldgen.selection.vectors import Vectors

DRIVER = """
import java.lang.management.ManagementFactory;
import java.nio.file.*;
import java.util.*;
import org.aksw.simba.benchmark.clustring.QueryClustering;
import org.aksw.simba.benchmark.log.operations.CleanQueryReader;

/** Arguments: vectors as TSV, exemplars or feasible, size, output file.
    Writes nanoseconds, then the chosen names. */
public class FeasibleDriver {
    public static void main(String[] arguments) throws Exception {
        Map<String, Double[]> vectors = new HashMap<>();
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            String[] cells = line.split("\\t");
            Double[] vector = new Double[cells.length - 1];
            for (int at = 0; at < vector.length; at++)
                vector[at] = Double.parseDouble(cells[at + 1]);
            vectors.put(cells[0], vector);
            CleanQueryReader.length = vector.length;
        }
        QueryClustering clustering = new QueryClustering();
        int size = Integer.parseInt(arguments[2]);
        long start = now();
        Set<String> chosen = arguments[1].equals("feasible")
            ? clustering.getPrototypicalQueries(vectors, size)
            : clustering.getExemplars(vectors, size);
        List<String> lines = new ArrayList<>();
        lines.add(Long.toString(now() - start));
        lines.addAll(chosen);
        Files.write(Paths.get(arguments[3]), lines);
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
"""


class JavaError(Exception):
    """The reference implementation cannot be compiled against or run; the message says why."""


class JavaRun(NamedTuple):
    """What one run gave.

    CPU seconds of its main thread, reading the vectors not counted, and the chosen questions.
    """

    seconds: float
    chosen: list[str]


class JavaFeasible:
    """The reference implementation on a set of vectors.

    Parameters
    ----------
    classpath
        With ``org.aksw.simba.benchmark.clustring.QueryClustering`` and what it needs.
    vectors
        The pool.
    folder
        Where to compile and to write the vectors.

    Raises
    ------
    JavaError
        If there is no Java compiler, or the class is not found.
    """

    def __init__(self, classpath: str, vectors: Vectors, folder: Path) -> None:
        missing = [tool for tool in ("javac", "java") if shutil.which(tool) is None]
        if missing:
            raise JavaError(
                f"--java needs {' and '.join(missing)}, not found on the PATH; install a JDK"
            )
        self._path = os.pathsep.join([classpath, str(folder)])
        self._table, self._out = folder / "vectors.tsv", folder / "chosen.txt"
        (folder / "FeasibleDriver.java").write_text(DRIVER, encoding="utf-8")
        _run(
            "javac",
            "-nowarn",
            "-cp",
            classpath,
            "-d",
            str(folder),
            str(folder / "FeasibleDriver.java"),
        )
        with self._table.open("w", encoding="utf-8") as file:
            for name, vector in zip(vectors.ids, vectors.matrix.tolist(), strict=True):
                file.write("\t".join([name, *map(repr, vector)]) + "\n")

    def run(self, kind: str, k: int) -> JavaRun:
        """Choose `k` questions; `kind` is ``exemplars`` or ``feasible``."""
        flags = ["-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", self._path]
        _run("java", *flags, "FeasibleDriver", str(self._table), kind, str(k), str(self._out))
        nanoseconds, *chosen = self._out.read_text(encoding="utf-8").split("\n")[:-1]
        return JavaRun(int(nanoseconds) / 1e9, chosen)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise JavaError(f"{command[0]} failed:\n{(done.stderr or done.stdout).strip()}")
