/**
 * The k-th largest of the values (k from 1 to their number), by Hoare's quickselect. Reorders the array it is given.
 */
export function kthLargest(values: Float64Array, k: number): number {
  const place = k - 1;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left] > pivot) left++;
      while (values[right] < pivot) right--;
      if (left <= right) {
        const moved = values[left];
        values[left++] = values[right];
        values[right--] = moved;
      }
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return values[place];
}
