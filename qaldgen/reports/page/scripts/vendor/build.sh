#!/bin/sh
# Make d3.js again: one file without eval and without styles in markup, so that it runs under the pages' policy.
# Needs npm; only for those who change the versions. The test of the hash (tests/reports/test_scripts.py) names the result.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/entry.mjs" "$work/"
cd "$work"
npm init -y >/dev/null
npm install --silent esbuild@0.28.2 d3-axis@3.0.1 d3-brush@3.0.1 d3-polygon@3.0.2 d3-quadtree@3.0.2 d3-scale@4.0.3 d3-selection@3.0.1
npx esbuild entry.mjs --bundle --minify --format=iife --global-name=d3 --legal-comments=none --outfile=bundle.js
{
  echo "// d3-axis 3.0.1, d3-brush 3.0.1, d3-polygon 3.0.2, d3-quadtree 3.0.2, d3-scale 4.0.3, d3-selection 3.0.1 and what they"
  echo "// need; Copyright 2010-2026 Mike Bostock, ISC licence, see LICENSE-d3.txt. Made by build.sh."
  cat bundle.js
  echo "export { d3 };"
} >"$here/d3.js"
