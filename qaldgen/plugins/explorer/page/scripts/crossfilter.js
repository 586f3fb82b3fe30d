// Which questions are left by all filters, and for each histogram the counts by all filters but its own.

export const NONE = 255;
/** Filters that can be set at once: a bit each. */
export const MOST_FILTERS = 31;

export class Crossfilter {
  /** `total` questions, of which `setPool` says which count. */
  constructor(total) {
    this.mask = new Uint32Array(total);
    this.rows = new Int32Array(0);
    this.codes = new Map();
    this.filters = new Map();
  }

  setPool(rows) {
    this.rows = Int32Array.from(rows.filter((row) => row >= 0));
  }

  setColumn(place, codes) {
    this.codes.set(place, codes);
  }

  hasColumn(place) {
    return this.codes.has(place);
  }

  /** Let only questions with some bins of a column pass; null lets all pass. False if there are too many filters. */
  filter(place, bins) {
    const old = this.filters.get(place);
    const bit = old?.bit ?? this.freeBit();
    if (bit < 0) return false;
    if (bins === null) {
      this.filters.delete(place);
      for (let at = 0; at < this.mask.length; at += 1) this.mask[at] &= ~(1 << bit);
      return true;
    }
    this.filters.set(place, { bit, bins });
    const stopped = new Uint8Array(256).fill(1);
    for (const bin of bins) stopped[bin] = 0;
    const codes = this.codes.get(place);
    for (let at = 0; at < this.mask.length; at += 1) {
      if (stopped[codes[at]]) this.mask[at] |= 1 << bit;
      else this.mask[at] &= ~(1 << bit);
    }
    return true;
  }

  freeBit() {
    const taken = new Set([...this.filters.values()].map(({ bit }) => bit));
    for (let bit = 0; bit < MOST_FILTERS; bit += 1) if (!taken.has(bit)) return bit;
    return -1;
  }

  clear() {
    this.filters.clear();
    this.mask.fill(0);
  }

  /** How many questions each bin has, by all other filters. */
  counts(place, bins) {
    const found = new Uint32Array(256);
    const codes = this.codes.get(place);
    const own = this.filters.get(place);
    const others = own === undefined ? ~0 : ~(1 << own.bit);
    const { mask, rows } = this;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at];
      if ((mask[row] & others) === 0) found[codes[row]] += 1;
    }
    return found.subarray(0, bins);
  }

  /** The questions of the pool that pass all filters. */
  left() {
    return this.rows.filter((row) => this.mask[row] === 0);
  }

  /** The filters as the explorer takes them: pairs of a property and places of bins. */
  asked(columns) {
    return [...this.filters].map(([place, { bins }]) => [columns[place].property, [...bins].sort((a, b) => a - b)]);
  }
}
