/** Recognizes persons by identifiers or by their hashes. */
import { createHmac } from 'node:crypto';
import { subjectName, type Subject } from '../event/subject.ts';
import type { HashedIdentifier } from '../store/privacy.ts';
import { phoneSpellings, sameSubjects, type Identifier } from './identifier.ts';
import { identifiersIn, identifiersOfNumber, plainText, type FoundIdentifier } from './identifiers-in.ts';

/** Recognizes a person by identifiers. */
export interface Person {
  has(identifier: Identifier): boolean;
  isSubject(subject: Subject): boolean;
  /** The person's identifiers in a text, in order, without overlaps. */
  findIn(text: string): readonly FoundIdentifier[];
  isNumber(number: number): boolean;
  /** False when a text cannot contain the person: a quick check before parsing. May be true for others. */
  canBeIn(json: string): boolean;
}

/** A person whose identifiers are known. */
export function personOf(identifiers: readonly Identifier[]): Person {
  const names = new Set(identifiers.flatMap(namesOf));
  const mention = mentionOf(identifiers);
  return recognize(
    (identifier) => names.has(nameOf(identifier)),
    true,
    (json) => mention.test(plainText(json).plain),
  );
}

/** Answers to keep: the same numbers return in the events of a subject. */
const MAX_ANSWERS = 100_000;

/** Everyone in a ledger: identifiers of whom only hashes are known. */
export function personsOf(hashed: readonly HashedIdentifier[], key: Uint8Array): Person {
  const known = new Set(hashed.map(({ hash }) => hash));
  const answers = new Map<string, boolean>();
  const types = new Set(hashed.map(({ type }) => type));
  const has = (identifier: Identifier): boolean => {
    if (!types.has(identifier.type)) return false;
    const name = nameOf(identifier);
    const kept = answers.get(name);
    if (kept !== undefined) return kept;
    const answer = known.has(hashIdentifier(identifier, key).hash);
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(name, answer);
    return answer;
  };
  return recognize(has, false, () => true);
}

/** Matches what one of two persons matches. */
export function eitherOf(one: Person, other: Person): Person {
  return {
    has: (identifier) => one.has(identifier) || other.has(identifier),
    isSubject: (subject) => one.isSubject(subject) || other.isSubject(subject),
    isNumber: (number) => one.isNumber(number) || other.isNumber(number),
    canBeIn: (json) => one.canBeIn(json) || other.canBeIn(json),
    findIn: (text) => withoutOverlaps([...one.findIn(text), ...other.findIn(text)]),
  };
}

/** Hashes an identifier with a store's key. Without the key nobody can try all CPFs. */
export function hashIdentifier(identifier: Identifier, key: Uint8Array): HashedIdentifier {
  const hash = createHmac('sha256', key)
    .update(`identifier ${nameOf(identifier)}`)
    .digest('hex');
  return { type: identifier.type, hash };
}

/** Whether a text is an identifier of the person and nothing else. */
export function isWholly(text: string, person: Person): boolean {
  const [only] = person.findIn(text);
  return only?.start === 0 && only.end === text.length;
}

/** Returns the identifier under all its names: a subject has one for each family. */
export function everyName(identifier: Identifier): readonly Identifier[] {
  if (identifier.type !== 'subject') return [identifier];
  return sameSubjects(identifier.value).map((value) => ({ type: 'subject', value }));
}

function recognize(has: Person['has'], any: boolean, canBeIn: Person['canBeIn']): Person {
  // A long text has more candidates than fit in memory at once.
  function* found(text: string): Generator<FoundIdentifier> {
    for (const one of identifiersIn(text, any, true)) if (has(one)) yield one;
  }
  return {
    has,
    canBeIn,
    isSubject: (subject) => has({ type: 'subject', value: subjectName(subject) }),
    isNumber: (number) => [...identifiersOfNumber(number)].some(has),
    findIn: (text) => withoutOverlaps([...found(text)]),
  };
}

function withoutOverlaps(found: readonly FoundIdentifier[]): readonly FoundIdentifier[] {
  const kept: FoundIdentifier[] = [];
  for (const one of found.toSorted(byOffset)) if (one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
  return kept;
}

/** The longer one first, so that `+55` goes with its phone. */
function byOffset(one: FoundIdentifier, other: FoundIdentifier): number {
  return one.start - other.start || other.end - one.end;
}

const nameOf = ({ type, value }: Identifier): string => `${type}:${value}`;
const namesOf = (identifier: Identifier): readonly string[] => everyName(identifier).map(nameOf);

/** Matches JSON text that may name one of the identifiers; a backslash may hide any of them. */
function mentionOf(identifiers: readonly Identifier[]): RegExp {
  const parts = identifiers.map(({ type, value }) => {
    if (type === 'subject') return literal(value.slice(value.indexOf(':') + 1));
    if (type === 'email') return literal(value.slice(0, value.indexOf('@')));
    const spellings = type === 'phone' ? phoneSpellings(value) : [value.replace(/^0+/, '')];
    return spellings
      .map((each) => each.replaceAll(/.(?=.)/g, '$&(?:%2[0-9a-f]|[^0-9A-Za-z"]){0,3}'))
      .join('|');
  });
  return new RegExp(['\\\\', ...parts].join('|'), 'iu');
}

/** An accent can be a character of its own, so other letters match anything. */
function literal(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : '';
}
