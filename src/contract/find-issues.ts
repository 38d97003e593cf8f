/** Finds where a value does not match its schema. */
import { z } from 'zod';
import { compileCheck, isAnyString, type Check } from './compile-check.ts';

/** One path at which a value does not match its schema. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Finds the first `max` issues of a value, in zod's order. zod itself finds every issue and creates several
 * objects for each: a list of 80,000 wrong items takes it half a second.
 */
export function findIssues(schema: z.core.$ZodType, value: unknown, max: number): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  visit(schema, value, []);
  return issues.slice(0, max);

  function visit(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): void {
    const parts = partsOf(schema, value);
    if (parts === undefined) {
      if (matches(schema, value)) return;
      for (const issue of zodIssues(schema, value))
        issues.push({ path: [...path, ...issue.path], message: issue.message });
    } else
      for (const [step, part, member] of parts) {
        if (issues.length >= max) return;
        visit(part, member, [...path, step]);
      }
  }
}

/** A record's keys come from the sender and can have any length. */
const MAX_PATH_LENGTH = 200;

/** Writes a path that begins at `root`: `data.amount`, `data.signers[0].email`, `data.vars["driver name"]`. */
export function issuePath(path: readonly PropertyKey[], root: string): string {
  const text = path.reduce<string>((parent, step) => parent + stepText(step), root);
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text;
}

function stepText(step: PropertyKey): string {
  if (typeof step === 'number') return `[${String(step)}]`;
  const name = String(step);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Returns the issues of `safeParse` without its error object, which would capture a stack trace. */
function zodIssues(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  const result = schema._zod.run({ value, issues: [] }, SYNCHRONOUS);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return result.issues.map((issue) => z.core.util.finalizeIssue(issue, SYNCHRONOUS, z.config()));
}

const SYNCHRONOUS = { async: false };

type Part = readonly [step: PropertyKey, schema: z.core.$ZodType, value: unknown];

/** Splits a value that is valid exactly when its parts are; undefined when only zod can check it. */
function partsOf(schema: z.core.$ZodType, value: unknown): Iterable<Part> | undefined {
  if ((schema._zod.def.checks ?? []).length > 0) return undefined;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return partsOf(schema.unwrap(), value);
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? itemsOf(schema.element, value) : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const object = value as Readonly<Record<string, unknown>>;
  if (schema instanceof z.ZodRecord && isAnyString(schema.keyType))
    return entriesOf(schema.valueType, object);
  if (schema instanceof z.ZodObject && isOpen(schema) && !lacksUncheckedField(schema.shape, object))
    return fieldsOf(schema.shape, object);
  return undefined;
}

function* itemsOf(schema: z.core.$ZodType, list: readonly unknown[]): Iterable<Part> {
  for (let index = 0; index < list.length; index += 1) yield [index, schema, list[index]];
}

function* entriesOf(schema: z.core.$ZodType, object: Readonly<Record<string, unknown>>): Iterable<Part> {
  // zod sets the members of a copy, where `__proto__` is not a member.
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

/** Whether a required field is absent whose own schema accepts undefined: only the object reports it. */
function lacksUncheckedField(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  object: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(shape).some(
    ([key, schema]) =>
      object[key] === undefined && schema._zod.optin === undefined && matches(schema, undefined),
  );
}

/** Whether the object accepts unknown members. */
function isOpen({ def: { catchall } }: z.ZodObject): boolean {
  return catchall === undefined || catchall instanceof z.ZodUnknown;
}

const checks = new WeakMap<z.core.$ZodType, Check>();

function matches(schema: z.core.$ZodType, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compileCheck(schema);
    checks.set(schema, check);
  }
  return check(value);
}
