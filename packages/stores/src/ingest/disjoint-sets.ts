/** Groups of passages that were linked, by their indices; grows as needed. 4 bytes a passage. */
export class DisjointSets {
  private parents = new Int32Array(1024).fill(-1);

  /** The representative of an index's group. Paths are halved on the way. */
  find(index: number): number {
    this.reserve(index);
    let at = index;
    while (this.parents[at]! >= 0) {
      const parent = this.parents[at]!;
      if (this.parents[parent]! >= 0) this.parents[at] = this.parents[parent]!;
      at = parent;
    }
    return at;
  }

  /** Joins two groups, the smaller under the larger. */
  link(a: number, b: number): void {
    let [x, y] = [this.find(a), this.find(b)];
    if (x === y) return;
    if (this.parents[x]! > this.parents[y]!) [x, y] = [y, x];
    this.parents[x]! += this.parents[y]!;
    this.parents[y] = x;
  }

  /** How many are in an index's group. */
  size(index: number): number {
    return -this.parents[this.find(index)]!;
  }

  private reserve(index: number): void {
    if (index < this.parents.length) return;
    const grown = new Int32Array(Math.max(index + 1, this.parents.length * 2)).fill(-1);
    grown.set(this.parents);
    this.parents = grown;
  }
}
