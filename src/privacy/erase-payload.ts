/** Erases a person from the payload of an event. */
import type { Contract } from '../contract/contract.ts';
import type { Subject } from '../event/subject.ts';
import {
  parseJsonTree,
  replaceSpans,
  valueOfNode,
  type JsonNode,
  type JsonSpan,
  type Replacement,
} from '../kernel/json/json-tree.ts';
import { partsOf, type BodyParts } from './body-parts.ts';
import {
  isOfPerson,
  names,
  namesOthers,
  recordsOf,
  type Leaf,
  type PayloadRecord,
} from './payload-records.ts';
import type { Person } from './person.ts';

/** Stands in the place of an identifier within a text that stays, and of a value that must not be null. */
export const ERASED = '[erased]';

/** A value that was erased, with the name of its member. */
export interface ErasedValue {
  readonly name: string;
  readonly value: string | number;
}

/** A text without the person's data, and what was taken out. */
export interface ErasedText {
  readonly text: string;
  readonly values: readonly ErasedValue[];
  /** Dotted paths, without the values; `` for a text that is no JSON. */
  readonly paths: readonly string[];
  /** The paths of the strings and numbers that stay as they are. */
  readonly kept: readonly string[];
}

/** Where an envelope comes from. */
export interface EnvelopeAbout {
  readonly source: string | null;
  /** Null when it is not readable. */
  readonly kind: string | null;
  readonly subject: Subject | null;
}

interface Marks {
  readonly text: string;
  readonly number: string;
}

/** The erased value of a personal field: most of the contract's may be null. */
const nulls: Marks = { text: 'null', number: 'null' };
/** The erased value of a field that may not be null. */
const typed: Marks = { text: JSON.stringify(ERASED), number: '0' };

/**
 * Erases a person from the text of an envelope. Returns null when the person is not in it.
 *
 * Erased is every value that contains an identifier of the person, and with it the personal fields of the
 * same record: of the same object, and of objects in it that have no id. A payload of an unrecognized kind
 * that names nobody else is erased whole, except `data.id`. Of the kind, and of a body whose payload a function
 * builds, only the identifiers are erased. All other bytes stay as they are.
 */
export function eraseEnvelope(
  text: string,
  about: EnvelopeAbout,
  person: Person,
  contract: Contract,
): ErasedText | null {
  const isOfSubject = about.subject !== null && person.isSubject(about.subject);
  if (!isOfSubject && !person.canBeIn(text)) return null;
  const tree = treeOf(text);
  if (tree === undefined) return eraseWhole(text, person);
  // A body without a source is of the provider, whose kinds every source shares.
  const source = about.source ?? 'default';
  const envelope = contract.envelopeOf(source);
  const body = partsOf(tree, envelope, about.kind);
  const kind = about.kind ?? '';
  const beside = { source, kind: '', subject: null };
  const parts = [
    ...(body.data === undefined
      ? []
      : [erasePart(body.data, { source, kind, subject: about.subject }, person, contract, body)]),
    ...body.rest.map((node) => erasePart(node, beside, person, contract, body)),
  ];
  const leaves = parts.flatMap((part) => part.leaves);
  const around = body.around.filter(({ key }) => person.findIn(key).length > 0);
  const keys = [...parts.flatMap((part) => part.keys), ...around.map(({ keySpan }) => erasedKey(keySpan))];
  if (leaves.length === 0 && keys.length === 0) return null;

  const replaced = (marks: Marks): string =>
    replaceSpans(text, [...leaves.map((leaf) => replacementOf(leaf, person, marks)), ...keys]);
  const isValid = (json: string): boolean => {
    const found = partsOf(parseJsonTree(json), envelope, about.kind).data;
    return found === undefined || (contract.find(source, kind)?.isValid(valueOfNode(found)) ?? true);
  };
  const withNulls = replaced(nulls);
  return {
    text: isValid(withNulls) || !isValid(text) ? withNulls : replaced(typed),
    values: leaves.filter(({ isWhole }) => isWhole).map(({ name, value }) => ({ name, value })),
    paths: leaves.map(({ path }) => path),
    kept: parts.flatMap((part) => part.kept),
  };
}

interface ErasedLeaf extends Leaf {
  /** False when only the identifiers within the text are replaced. */
  readonly isWhole: boolean;
}

interface ErasedPart {
  readonly leaves: readonly ErasedLeaf[];
  readonly keys: readonly Replacement[];
  readonly kept: readonly string[];
}

function erasePart(
  node: JsonNode,
  about: EnvelopeAbout & { readonly source: string; readonly kind: string },
  person: Person,
  contract: Contract,
  { data, isType }: BodyParts,
): ErasedPart {
  const masked = contract.mask(about.source, about.kind, valueOfNode(node));
  const records = recordsOf(node, masked, { ...about, place: node === data ? 'data' : 'body' }, person);
  const isEverything =
    contract.find(about.source, about.kind) === undefined &&
    isNamed(records, person) &&
    !namesOthers(records, person);
  // Without it the body could not be read again.
  const isKept = (leaf: Leaf): boolean => data === undefined || isType(leaf.node);
  const isErased = (record: PayloadRecord, leaf: Leaf): boolean =>
    names(leaf, person) ||
    (leaf.personal &&
      !isKept(leaf) &&
      (isEverything ? leaf.path !== 'data.id' : isOfPerson(record, leaf, person) && !isKey(record, leaf)));
  return {
    leaves: records.flatMap((record) =>
      record.leaves
        .filter((leaf) => isErased(record, leaf))
        .map((leaf) => ({
          ...leaf,
          isWhole: (leaf.personal && !isKept(leaf)) || typeof leaf.value === 'number',
        })),
    ),
    keys: records.flatMap((record) => record.keys.map(erasedKey)),
    kept: records.flatMap((record) =>
      record.leaves.filter((leaf) => !isErased(record, leaf)).map(({ path }) => path),
    ),
  };
}

function erasedKey({ start, end }: JsonSpan): Replacement {
  return { start, end, json: JSON.stringify(ERASED) };
}

function isNamed(records: readonly PayloadRecord[], person: Person): boolean {
  return records.some(
    ({ groupsOfPerson, leaves }) => groupsOfPerson.size > 0 || leaves.some((leaf) => names(leaf, person)),
  );
}

/** The id of a record stays: it is a part of the event's identity, or refers to another record. */
function isKey(record: PayloadRecord, { name }: Leaf): boolean {
  return name === 'id' && (record.parent === null || record.hasId);
}

function replacementOf({ node, value, isWhole }: ErasedLeaf, person: Person, marks: Marks): Replacement {
  const { start, end } = node;
  if (typeof value === 'number') return { start, end, json: marks.number };
  return { start, end, json: isWhole ? marks.text : JSON.stringify(eraseIdentifiers(value, person)) };
}

/** Replaces the identifiers in a text, and nothing else. */
export function eraseIdentifiers(text: string, person: Person): string {
  return replaceSpans(
    text,
    person.findIn(text).map(({ start, end }) => ({ start, end, json: ERASED })),
  );
}

/** A text that is no JSON has no fields: all of it goes. */
function eraseWhole(text: string, person: Person): ErasedText | null {
  if (person.findIn(text).length === 0) return null;
  return { text: JSON.stringify(ERASED), values: [], paths: [''], kept: [] };
}

/** Undefined for text that is not JSON, or nested too deep to walk. */
function treeOf(text: string): JsonNode | undefined {
  try {
    return parseJsonTree(text);
  } catch {
    return undefined;
  }
}
