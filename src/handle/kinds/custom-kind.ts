/** Turns a `defineKind` definition into a kind of the contract. */
import { z } from 'zod';
import type { SchemaIssue } from '../../contract/find-issues.ts';
import { guessedFamily } from '../../contract/family.ts';
import { normalizeInstant } from '../../contract/instant.ts';
import { zodKind, type KindContract } from '../../contract/kind-contract.ts';
import { maskAll } from '../../contract/personal-data.ts';
import { changeVersion, isOrderedByInstants } from '../../contract/version-rules.ts';
import { errorName } from '../../kernel/failure-reason.ts';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../kernel/json/json.ts';
import type { KindDefinition, KindOptions, StandardSchema } from './kind-definition.ts';
import { object } from '../../contract/field/schemas.ts';
import { innerSchema } from '../../contract/fields.ts';

export interface CustomKindOrigin {
  /** The file that defines the kind. */
  readonly origin: string;
  /** The only source that sends it; null for every source with the provider's envelope. */
  readonly source: string | null;
  /** The kind of the specification that it changes. */
  readonly base: KindContract | undefined;
}

/** Creates the contract of a custom kind, or of a changed kind of the specification. */
export function customKind(
  definition: KindDefinition,
  { origin, source, base }: CustomKindOrigin,
): KindContract {
  const { kind, schema, options } = definition;
  const rules = options as KindOptions<JsonObject>;
  const subjectId = (data: JsonObject): string | number | undefined => {
    if (rules.subject?.id === undefined) return base === undefined ? ownId(data) : base.subjectId(data);
    return rules.subject.id(data) ?? undefined;
  };
  const version = (data: JsonObject): string | null =>
    rules.version === undefined ? (base?.version(data) ?? null) : versionText(kind, rules.version(data));
  const given = {
    kind,
    source,
    origin,
    family: rules.subject?.family ?? base?.family ?? guessedFamily(kind),
    title: rules.title ?? base?.title ?? kind,
    description: rules.description ?? base?.description ?? `The event ${kind}.`,
    section: base?.section ?? null,
    definitions: [...(base?.definitions ?? []), definition],
    example: rules.example ?? null,
    subjectId,
    version,
  };
  const zodSchema = schema === undefined ? base?.schema : isZodObject(schema) ? schema : null;
  const made =
    zodSchema === null || zodSchema === undefined
      ? standardKind({ ...given, schema: schema as StandardSchema })
      : zodKind({
          ...given,
          schema:
            base?.schema == null || schema === undefined ? zodSchema : mergeSchemas(base.schema, zodSchema),
          personal: [...(base?.personalPaths ?? []), ...(rules.personal ?? [])],
        });
  return withRules(made, definition);
}

function isZodObject(schema: StandardSchema): schema is StandardSchema & z.ZodObject {
  return schema instanceof z.ZodObject;
}

function ownId(data: JsonValue): string | number | undefined {
  const id = ownMember(data, 'id');
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

type Given = Omit<Parameters<typeof zodKind>[0], 'schema' | 'personal'>;

/** A kind whose schema is of another library: its fields are unknown, so all of them are masked. */
function standardKind({ schema, ...given }: Given & { readonly schema: StandardSchema }): KindContract {
  const issues = (data: unknown): readonly SchemaIssue[] => standardIssues(schema, data);
  return {
    ...given,
    schema: null,
    fields: new Map(),
    personalPaths: [],
    isKnown: (data) => issues(data).length === 0,
    isValid: (data) => issues(data).length === 0,
    issues: (data, max) => issues(data).slice(0, max),
    unknownValues: () => [],
    hasValidCheckDigits: () => true,
    mask: maskAll,
  };
}

/** Messages of another library may quote what was sent, so only the path is kept. */
function standardIssues(schema: StandardSchema, data: unknown): readonly SchemaIssue[] {
  const result = schema['~standard'].validate(data);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return [{ path: [], message: 'has an asynchronous schema: make it check synchronously' }];
  }
  return (result.issues ?? []).map(({ path = [] }) => ({
    path: path.map((step) => (typeof step === 'object' ? step.key : step)),
    message: `does not match the schema (${schema['~standard'].vendor})`,
  }));
}

/**
 * Makes the functions of a definition part of the check: data on which one of them fails goes to quarantine, and
 * can be released once the function is corrected.
 */
function withRules(made: KindContract, { kind, options }: KindDefinition): KindContract {
  const rules = options as KindOptions<JsonObject>;
  const problem = (data: unknown): SchemaIssue | undefined => {
    if (made.section !== null && !isJsonObject(data)) return { path: [], message: 'expected an object' };
    // The functions of another kind take what its schema accepts.
    const given = data as JsonObject;
    return (
      failure(() => idProblem(rules.subject?.id?.(given)), `subject.id of ${kind}`) ??
      failure(() => versionProblem(rules.version?.(given), made.family), `version of ${kind}`)
    );
  };
  const guarded = (check: (data: unknown) => boolean) => (data: unknown) => {
    try {
      return check(data) && problem(data) === undefined;
    } catch {
      return false;
    }
  };
  return {
    ...made,
    get fields() {
      return made.fields;
    },
    get personalPaths() {
      return made.personalPaths;
    },
    isKnown: guarded((data) => made.isKnown(data)),
    isValid: guarded((data) => made.isValid(data)),
    issues(data, max) {
      try {
        const found = made.issues(data, max);
        if (found.length > 0) return found;
      } catch (error) {
        return [{ path: [], message: `the schema of ${kind} failed: ${nameOf(error)}` }];
      }
      const rule = problem(data);
      return rule === undefined ? [] : [rule];
    },
  };
}

/** Names only the type of an error: its message may quote what was sent. */
function failure(run: () => string | undefined, what: string): SchemaIssue | undefined {
  try {
    const problem = run();
    return problem === undefined ? undefined : { path: [], message: `${what} ${problem}` };
  } catch (error) {
    return { path: [], message: `${what} failed: ${nameOf(error)}` };
  }
}

function nameOf(error: unknown): string {
  if (error instanceof z.core.$ZodAsyncError) return 'it is asynchronous; make it check synchronously';
  return errorName(error);
}

function idProblem(id: unknown): string | undefined {
  if (id === undefined || id === null || typeof id === 'string') return undefined;
  if (typeof id === 'number' && Number.isFinite(id)) return undefined;
  return `returned ${typeName(id)}: return a string, a number or null`;
}

/**
 * Versions of a subject are compared as strings, so text that is no instant would be above every instant, and
 * make each later event stale.
 */
function versionProblem(version: unknown, family: string): string | undefined {
  if (version === undefined || version === null || version === '') return undefined;
  if (typeof version === 'string')
    return normalizeInstant(version) === null
      ? 'returned a string that is not an instant: return ISO 8601 such as 2026-11-09T12:00:00Z, a whole number, or null without a version'
      : undefined;
  if (typeof version === 'number') {
    if (!Number.isSafeInteger(version) || version < 0)
      return 'returned a number that is not whole, or negative: return a whole number from 0';
    return isOrderedByInstants(family)
      ? `returned a number, but events of the family ${family} are ordered by instants: return an instant`
      : undefined;
  }
  if (isDate(version))
    return Number.isNaN(version.getTime())
      ? 'returned an invalid Date: return null without a version'
      : normalizeInstant(version.toISOString()) === null
        ? 'returned a Date outside the years 0 to 9999: return null without a version'
        : undefined;
  return `returned ${typeName(version)}: return an instant, a whole number or null`;
}

function typeName(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** A handlers file may have been evaluated in another realm. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}

/** As wide as the largest whole number of a double. */
const NUMBER_WIDTH = 16;

/**
 * Writes a version so that comparing the strings compares the versions. Of two events at the same instant the
 * creation comes first, as for the kinds of the specification.
 */
function versionText(kind: string, version: string | number | Date | null | undefined): string | null {
  if (version === undefined || version === null || version === '') return null;
  if (typeof version === 'number') return String(version).padStart(NUMBER_WIDTH, '0');
  const instant = normalizeInstant(isDate(version) ? version.toISOString() : version);
  return instant === null ? null : changeVersion(instant, kind);
}

/**
 * Returns the schema of a payload with the fields of a patch: objects are merged, at any depth, and anything else
 * is replaced. The checks of both hold. The result keeps the metadata of `base`, and accepts unknown fields as it does.
 */
function mergeSchemas(base: z.ZodObject, patch: z.ZodObject): z.ZodObject {
  const shape: Record<string, z.core.$ZodType> = { ...base.shape };
  for (const [name, field] of Object.entries<z.core.$ZodType>(patch.shape)) {
    // `constructor` is no field of the base, although every object has one.
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    shape[name] = known === undefined ? field : mergeFields(known, field);
  }
  return object(shape)
    .check(...checksOf(base), ...checksOf(patch))
    .meta({ ...base.meta() });
}

function mergeFields(base: z.core.$ZodType, patch: z.core.$ZodType): z.core.$ZodType {
  const [below, above] = [innerSchema(base), innerSchema(patch)];
  if (!(below instanceof z.ZodObject) || !(above instanceof z.ZodObject)) return described(patch, base);
  let merged: z.ZodType = mergeSchemas(below, above);
  // The layers of the patch decide whether the object may be null or absent.
  if (accepts(patch, null)) merged = merged.nullable();
  if (accepts(patch, undefined)) merged = merged.optional();
  return described(merged.check(...checksAround(patch)), base);
}

/** The checks of the layers around an object: `z.object({…}).nullish().refine(…)`. */
function checksAround(layered: z.core.$ZodType): readonly z.core.$ZodCheck<unknown>[] {
  const inner = (layered._zod.def as { readonly innerType?: z.core.$ZodType }).innerType;
  return inner === undefined ? [] : [...checksAround(inner), ...checksOf(layered)];
}

function checksOf(schema: z.core.$ZodType): readonly z.core.$ZodCheck<unknown>[] {
  return (schema._zod.def.checks ?? []) as unknown as readonly z.core.$ZodCheck<unknown>[];
}

function accepts(schema: z.core.$ZodType, value: null | undefined): boolean {
  return z.safeParse(schema, value).success;
}

/** Keeps the description of a field that the patch does not describe. */
function described(schema: z.core.$ZodType, base: z.core.$ZodType): z.core.$ZodType {
  const [own, inherited] = [schema, base].map((one) => z.globalRegistry.get(one)?.description);
  if (own !== undefined || inherited === undefined || !(schema instanceof z.ZodType)) return schema;
  return schema.describe(inherited);
}
