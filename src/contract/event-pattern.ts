import { eventKinds, type EventKind } from './catalogue.ts';

/** A kind, or kinds with `*` for any non-empty run of characters, dots included. */
export type EventPattern = EventKind | `${string}*${string}`;

/**
 * The kinds that a pattern matches: `KindsOf<'charge.*'>` is the four of
 * charges and their slips, `KindsOf<'charge.created'>` that kind, and a pattern
 * that matches nothing `never`. Distributes over a union of patterns.
 */
export type KindsOf<Pattern extends string> = Pattern extends `${infer Head}*${infer Tail}`
  ? KindsAfter<EventKind, Head, Tail>
  : Extract<EventKind, Pattern>;

/** Those kinds that begin with `Head`, then have a run of characters, then match `Tail`. */
type KindsAfter<Kind extends EventKind, Head extends string, Tail extends string> = Kind extends Kind
  ? Kind extends `${Head}${infer Rest}`
    ? RunThen<Rest, Tail> extends true
      ? Kind
      : never
    : never
  : never;

/** Whether `Text` is a non-empty run followed by what `Tail` matches. */
type RunThen<Text extends string, Tail extends string> = Text extends `${infer _First}${infer Rest}`
  ? Tail extends `${infer Segment}*${infer NextTail}`
    ? // The first place of the segment is the best: the next run takes up whatever follows.
      Rest extends `${string}${Segment}${infer AfterSegment}`
      ? RunThen<AfterSegment, NextTail>
      : false
    : Rest extends `${string}${Tail}`
      ? true
      : false
  : false;

/**
 * Whether `kind`, of the contract or not, matches. `*` stands for any non-empty
 * run of characters, so `traffic-violation.*` matches
 * `traffic-violation.ticket.created` and does not match `traffic-violation.`.
 *
 * Takes time in proportion to the lengths, whatever a sender puts in `kind`; a
 * regular expression with several runs would not.
 */
export function patternMatches(pattern: string, kind: string): boolean {
  const [head = '', ...segments] = pattern.split('*');
  const tail = segments.pop();
  if (tail === undefined) return kind === pattern;
  if (!kind.startsWith(head)) return false;

  let position = head.length;
  for (const segment of segments) {
    const found = kind.indexOf(segment, position + 1);
    if (found === -1) return false;
    position = found + segment.length;
  }
  return kind.endsWith(tail) && kind.length - tail.length > position;
}

/** The kinds of the contract that match, in its order. None when the pattern is misspelt. */
export function kindsMatching(pattern: string): readonly EventKind[] {
  return eventKinds.filter((kind) => patternMatches(pattern, kind));
}
