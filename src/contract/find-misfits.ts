import { z } from 'zod';
import { compileCheck, isAnyText, type Check } from './compile-check.ts';

/** Something that does not fit its schema. */
export interface Misfit {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * What is wrong with a value, in the order in which zod says it, `most` of it. zod itself goes through all there
 * is, and makes several objects for each: a list of 80,000 wrong items takes it half a second.
 */
export function findMisfits(schema: z.core.$ZodType, value: unknown, most: number): readonly Misfit[] {
  const found: Misfit[] = [];
  look(schema, value, []);
  return found.slice(0, most);

  function look(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): void {
    const parts = partsOf(schema, value);
    if (parts === undefined) {
      if (fits(schema, value)) return;
      for (const issue of issuesOf(schema, value))
        found.push({ path: [...path, ...issue.path], message: issue.message });
    } else
      for (const [step, part, member] of parts) {
        if (found.length >= most) return;
        look(part, member, [...path, step]);
      }
  }
}

/** As `safeParse` has them, without an error around them, of which each takes down a stack. */
function issuesOf(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  const result = schema._zod.run({ value, issues: [] }, SYNCHRONOUS);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return result.issues.map((issue) => z.core.util.finalizeIssue(issue, SYNCHRONOUS, z.config()));
}

const SYNCHRONOUS = { async: false };

type Part = readonly [step: PropertyKey, schema: z.core.$ZodType, value: unknown];

/** What a value is made of, where that alone decides whether it fits; undefined where zod has to be asked. */
function partsOf(schema: z.core.$ZodType, value: unknown): Iterable<Part> | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return partsOf(schema.unwrap(), value);
  if ((schema._zod.def.checks ?? []).length > 0) return undefined;
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? itemsOf(schema.element, value) : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const object = value as Readonly<Record<string, unknown>>;
  if (schema instanceof z.ZodRecord && isAnyText(schema.keyType)) return entriesOf(schema.valueType, object);
  if (schema instanceof z.ZodObject && isOpen(schema) && !lacksAnything(schema.shape, object))
    return fieldsOf(schema.shape, object);
  return undefined;
}

function* itemsOf(schema: z.core.$ZodType, list: readonly unknown[]): Iterable<Part> {
  for (let index = 0; index < list.length; index += 1) yield [index, schema, list[index]];
}

function* entriesOf(schema: z.core.$ZodType, object: Readonly<Record<string, unknown>>): Iterable<Part> {
  // As zod, which sets members of a copy.
  for (const [key, value] of Object.entries(object)) if (key !== '__proto__') yield [key, schema, value];
}

function* fieldsOf(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  object: Readonly<Record<string, unknown>>,
): Iterable<Part> {
  for (const [key, schema] of Object.entries(shape)) {
    const { optin, optout } = schema._zod;
    if (object[key] !== undefined || !(optin === 'optional' && optout === 'optional'))
      yield [key, schema, object[key]];
  }
}

/** Whether a field is absent that may hold anything, but has to be there: only the object says so. */
function lacksAnything(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  object: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(shape).some(
    ([key, schema]) =>
      object[key] === undefined && schema._zod.optin === undefined && fits(schema, undefined),
  );
}

/** Takes any members besides. */
function isOpen({ def: { catchall } }: z.ZodObject): boolean {
  return catchall === undefined || catchall instanceof z.ZodUnknown;
}

const checks = new WeakMap<z.core.$ZodType, Check>();

function fits(schema: z.core.$ZodType, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compileCheck(schema);
    checks.set(schema, check);
  }
  return check(value);
}
