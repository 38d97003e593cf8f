/**
 * A list brought up to date.
 *
 * @param ids ascending.
 * @param changed ids of the records that may have come, gone or stayed, ascending.
 * @param matching those of them that belong to the list now.
 * @returns ascending; the same list where nothing is different.
 */
export function patchedIds(
  ids: Float64Array,
  changed: readonly number[],
  matching: ReadonlySet<number>,
): Float64Array {
  const differing = changed.filter((id) => (ids[placeOf(ids, id)] === id) !== matching.has(id));
  if (differing.length === 0) return ids;
  const added = differing.filter((id) => matching.has(id)).length;
  const patched = new Float64Array(ids.length + 2 * added - differing.length);
  let read = 0;
  let written = 0;
  for (const id of differing) {
    const place = placeOf(ids, id);
    patched.set(ids.subarray(read, place), written);
    written += place - read;
    read = place;
    if (matching.has(id)) {
      patched[written] = id;
      written += 1;
    } else read += 1;
  }
  patched.set(ids.subarray(read), written);
  return patched;
}

/** The first place whose id is not smaller. */
function placeOf(ids: Float64Array, id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
