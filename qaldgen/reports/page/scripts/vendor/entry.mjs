// What of d3 the pages use; build.sh makes d3.js of it.
export { axisBottom, axisLeft } from "d3-axis";
export { brush, brushX } from "d3-brush";
export { polygonContains } from "d3-polygon";
export { quadtree } from "d3-quadtree";
export { scaleLinear } from "d3-scale";
export { pointer, select } from "d3-selection";
