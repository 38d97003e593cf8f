/** What is known of one kind, computed from its schema when it is needed. */
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { haveValidCheckDigits, taxIdsOf } from './check-digits.ts';
import { compileCheck } from './compile-check.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { findIssues, issuePath, type SchemaIssue } from './find-issues.ts';
import { findUnknownValues } from './find-unknown-values.ts';
import { isPersonalPath, maskFields, personalPathsOf, withPersonal } from './personal-data.ts';

/** Everything that the contract says about one kind of event. */
export interface KindContract {
  /** The envelope's `type`. */
  readonly kind: string;
  /** The only source whose events it describes; null for every source that sends the provider's envelope. */
  readonly source: string | null;
  /** `specification`, or the file that defines or changes the kind. */
  readonly origin: string;
  readonly family: string;
  readonly title: string;
  readonly description: string;
  /** The section of the specification that describes the payload; null for a custom kind. */
  readonly section: string | null;
  /** The schema of `data`; null when it is not a zod schema. It accepts unknown fields and changes nothing. */
  readonly schema: z.ZodObject | null;
  /** The declared fields, with those that are personal marked; empty without a zod schema. */
  readonly fields: Fields;
  /** The personal fields as dotted paths within `data`. */
  readonly personalPaths: readonly string[];
  /** The definitions that the kind was made from. */
  readonly definitions: readonly object[];
  /** A payload that matches; null when none was given. */
  readonly example: JsonObject | null;
  /** Whether `data` is valid and every value of its enumerations is listed. The first check of every event. */
  isKnown(data: unknown): boolean;
  /** Whether `data` is valid. Enumerations that may grow accept any non-empty string. */
  isValid(data: unknown): boolean;
  /** The first `max` paths at which `data` is not valid. */
  issues(data: unknown, max: number): readonly SchemaIssue[];
  /** The values of valid data that its enumerations do not list, 20 at most. */
  unknownValues(data: JsonValue): readonly UnknownValue[];
  /** Whether every CNPJ and CPF in valid data has valid check digits. */
  hasValidCheckDigits(data: JsonValue): boolean;
  /** Replaces personal data, and everything that is not declared. */
  mask(data: JsonValue): JsonValue;
  /** The entity's id in valid data; undefined when there is none. */
  subjectId(data: JsonObject): string | number | undefined;
  /** The version of valid data, which orders the events of a subject; null without one. */
  version(data: JsonObject): string | null;
}

/** A value that an enumeration of the contract does not list. */
export interface UnknownValue {
  /** For example `data.sne.status`. */
  readonly path: string;
  /** Null where the field is personal. */
  readonly value: string | null;
  /** The listed values. */
  readonly known: readonly string[];
}

/** Unknown values of one event that are listed, at most. */
const MAX_UNKNOWN = 20;

/** What a kind with a zod schema is made from; the schema answers the rest. */
export interface ZodKind extends Pick<
  KindContract,
  | 'kind'
  | 'source'
  | 'origin'
  | 'family'
  | 'title'
  | 'description'
  | 'section'
  | 'definitions'
  | 'example'
  | 'version'
  | 'subjectId'
> {
  readonly schema: z.ZodObject;
  /** Dotted paths of fields that are personal besides those that the schema marks. */
  readonly personal: readonly string[];
}

/** Creates the contract of a kind from its schema. Everything is computed when it is first used. */
export function zodKind({ personal, ...given }: ZodKind): KindContract {
  const { schema } = given;
  const known = once(() => compileCheck(schema, { values: 'known' }));
  const valid = once(() => compileCheck(schema));
  const fields = once(() => withPersonal(fieldsOf(schema), personal));
  const personalPaths = once(() => personalPathsOf(fields()));
  const taxIds = once(() => taxIdsOf(fields()));
  return {
    ...given,
    get fields() {
      return fields();
    },
    get personalPaths() {
      return personalPaths();
    },
    isKnown: (data) => known()(data),
    isValid: (data) => valid()(data),
    issues: (data, max) => findIssues(schema, data, max),
    unknownValues: (data) =>
      findUnknownValues(schema, data, MAX_UNKNOWN).map(({ path, value, known }) => ({
        path: issuePath(path, 'data'),
        value: isPersonalPath(namesOf(path), personalPaths()) ? null : value,
        known: [...known],
      })),
    hasValidCheckDigits: (data) => haveValidCheckDigits(taxIds(), data),
    mask: (data) => maskFields(fields(), data),
  };
}

/** The dotted path, without indexes in lists. */
function namesOf(path: readonly PropertyKey[]): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

/** Returns a function that computes its value at the first call. */
function once<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}
