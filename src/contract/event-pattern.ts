/** Wildcards over kinds, as types and at run time. */
import { eventKinds, type EventKind } from './catalogue.ts';

/** A kind, or a pattern in which `*` stands for one or more characters, dots included. */
export type EventPattern = EventKind | `${string}*${string}`;

/**
 * The kinds that a pattern matches. `KindsOf<'charge.*'>` is the union of the four kinds of charges and their
 * slips; a pattern without a match is `never`. Distributes over a union of patterns.
 */
export type KindsOf<Pattern extends string> = Pattern extends `${infer Head}*${infer Tail}`
  ? KindsAfter<EventKind, Head, Tail>
  : Extract<EventKind, Pattern>;

/** The kinds that begin with `Head`, continue with one or more characters, and then match `Tail`. */
type KindsAfter<Kind extends EventKind, Head extends string, Tail extends string> = Kind extends Kind
  ? Kind extends `${Head}${infer Rest}`
    ? RunThen<Rest, Tail> extends true
      ? Kind
      : never
    : never
  : never;

/** Whether `Text` is one or more characters followed by a match of `Tail`. */
type RunThen<Text extends string, Tail extends string> = Text extends `${infer _First}${infer Rest}`
  ? Tail extends `${infer Segment}*${infer NextTail}`
    ? // The first place of the segment suffices: the next `*` matches the rest.
      Rest extends `${string}${Segment}${infer AfterSegment}`
      ? RunThen<AfterSegment, NextTail>
      : false
    : Rest extends `${string}${Tail}`
      ? true
      : false
  : false;

/**
 * Whether `kind`, in the contract or not, matches a pattern. `*` stands for one or more characters:
 * `traffic-violation.*` matches `traffic-violation.ticket.created` and not `traffic-violation.`.
 *
 * Runs in linear time for any `kind` that a sender chooses; a regular expression with several `.+` does not.
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

/** Returns the kinds of the contract that match, in its order; none when the pattern is misspelled. */
export function kindsMatching(pattern: string): readonly EventKind[] {
  return eventKinds.filter((kind) => patternMatches(pattern, kind));
}
