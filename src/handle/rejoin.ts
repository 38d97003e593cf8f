import type { FoldedHistory, FoldMark } from './fold-memory.ts';

/** What a remembered fold of a history tells of the same history with one event put into it. */
export interface Rejoin {
  /** Where to begin: as far as both are the same. */
  readonly start: FoldMark | undefined;
  /** The mark of the remembered one at a place of the new one, if it stands for the same events but the one. */
  markAt(place: number): FoldMark | undefined;
  /** The last such mark: who stands where one of them stands need not fold what lies between. */
  readonly last: FoldMark | undefined;
  /** How far the remembered one is behind. */
  readonly shift: number;
}

/** @param at the place of the event in the new history; it may be in the remembered one, too */
export function rejoin(known: FoldedHistory, events: Float64Array, at: number): Rejoin {
  const same = commonLength(known.events, 0, events, 0);
  const start = known.marks.findLast((mark) => mark.at <= Math.min(same, at));
  const behind = known.events[at] === events[at] ? at + 1 : at;
  const matched = same < at ? 0 : commonLength(known.events, behind, events, at + 1);
  const marks = known.marks.filter((mark) => mark.at > behind && mark.at <= behind + matched);
  const shift = at + 1 - behind;
  const byPlace = new Map(marks.map((mark) => [mark.at + shift, mark]));
  return { start, markAt: (place) => byPlace.get(place), last: marks.at(-1), shift };
}

/** How many numbers are the same from these places on. */
function commonLength(one: Float64Array, oneFrom: number, other: Float64Array, otherFrom: number): number {
  const most = Math.max(0, Math.min(one.length - oneFrom, other.length - otherFrom));
  let length = 0;
  while (length < most && one[oneFrom + length] === other[otherFrom + length]) length += 1;
  return length;
}
