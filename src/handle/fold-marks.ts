import type { FoldMark } from './fold-memory.ts';

/** Characters of JSON that the states of all marks of a history may have. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_MARKS = 128;
/** Events between two marks, at first. */
const SHORTEST_STRIDE = 50;

/** Marks along a fold: near to each other while there is room, and further apart the longer it gets. */
export interface FoldMarks {
  /** Notes how things stand, when it is time for a mark. */
  pass(mark: FoldMark): void;
  /** The marks, the end of the fold included. */
  end(mark: FoldMark): readonly FoldMark[];
}

interface SizedMark extends FoldMark {
  readonly size: number;
}

export function collectMarks(): FoldMarks {
  let marks: SizedMark[] = [];
  let characters = 0;
  let stride = SHORTEST_STRIDE;

  function thinOut(): void {
    stride *= 2;
    marks = marks.filter((_, place) => place % 2 === 1);
    characters = marks.reduce((sum, { size }) => sum + size, 0);
  }

  return {
    pass(mark) {
      if (mark.at < (marks.at(-1)?.at ?? 0) + stride) return;
      const size = JSON.stringify(mark.state).length;
      marks.push({ ...mark, size });
      characters += size;
      while (marks.length > 0 && (marks.length > MOST_MARKS || characters > MOST_CHARACTERS)) thinOut();
    },
    end: (mark) => [
      ...marks.filter(({ at }) => at < mark.at).map(({ at, state, anomalies }) => ({ at, state, anomalies })),
      mark,
    ],
  };
}
