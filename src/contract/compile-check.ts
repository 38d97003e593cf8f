/** Compiles zod schemas into functions that only say yes or no, which is what most webhooks need. */
import { compileFunction } from 'node:vm';
import { z } from 'zod';
import { knownValuesOf } from './field/known-values.ts';

/** Whether a value matches a schema. */
export type Check = (value: unknown) => boolean;

/** How enumerations that may grow are checked: any non-empty string, as zod does, or known values only. */
export interface CheckOptions {
  readonly values: 'any' | 'known';
}

/**
 * Compiles a schema into one flat function that returns `safeParse(value).success` for any JSON value. zod copies
 * what it checks, and creates a result for every field; this function allocates almost nothing and is about
 * fifty times faster.
 *
 * It compiles the schemas that the contract consists of. Any other schema is checked by zod itself.
 *
 * With `values: 'known'` it also returns false for values that an enumeration does not list.
 */
export function compileCheck(schema: z.core.$ZodType, { values }: CheckOptions = { values: 'any' }): Check {
  const constants: unknown[] = [];
  const functions: string[] = [];
  const condition = matches(schema, 'value');
  const source = `${functions.join('\n')}\nreturn (value) => ${condition};`;
  // The source comes from the contract alone. `new Function` is often forbidden (--disallow-code-generation-from-strings).
  const names = constants.map((_, index) => `constant${String(index)}`);
  const make = compileFunction(source, names);
  return (make as (...constants: readonly unknown[]) => Check)(...constants);

  /** Returns a condition on `value`, an expression without side effects. */
  function matches(schema: z.core.$ZodType, value: string): string {
    return compiled(schema, value) ?? `${constant(schema)}.safeParse(${value}).success`;
  }

  /** Returns undefined for a schema that has anything this compiler does not support. */
  function compiled(schema: z.core.$ZodType, value: string): string | undefined {
    const known = values === 'known' ? knownValuesOf(schema) : undefined;
    if (known !== undefined) {
      // The first check is that of the enumeration: any text but the empty one.
      const isMore = (schema._zod.def.checks ?? []).length > 1;
      return `(${constant(known)}.has(${value})${isMore ? ` && ${constant(schema)}.safeParse(${value}).success` : ''})`;
    }
    if (schema instanceof z.ZodOptional && !(schema instanceof z.ZodExactOptional))
      return also(schema, value, `(${value} === undefined || ${matches(schema.unwrap(), value)})`);
    if (schema instanceof z.ZodNullable)
      return also(schema, value, `(${value} === null || ${matches(schema.unwrap(), value)})`);
    if (schema instanceof z.ZodEnum)
      return also(schema, value, `${constant(new Set(schema.options))}.has(${value})`);
    if (schema instanceof z.ZodArray)
      return also(schema, value, eachMatches(schema.element, value, 'item of list', 'Array.isArray(list)'));
    // Skips `__proto__` as zod does: it is not a member of the copy that zod makes.
    if (schema instanceof z.ZodRecord && isAnyString(schema.keyType))
      return also(
        schema,
        value,
        eachMatches(
          schema.valueType,
          value,
          '[key, item] of Object.entries(list)',
          PLAIN,
          "key === '__proto__'",
        ),
      );
    if (schema instanceof z.ZodObject) return also(schema, value, objectMatches(schema, value));
    if (schema instanceof z.ZodString && !schema.def.coerce)
      return also(schema, value, `typeof ${value} === 'string'`);
    if (schema instanceof z.ZodNumber && !schema.def.coerce)
      return also(schema, value, `Number.isFinite(${value})`);
    if (schema instanceof z.ZodBoolean && !schema.def.coerce)
      return also(schema, value, `typeof ${value} === 'boolean'`);
    return undefined;
  }

  /** Joins the condition with the schema's own checks. */
  function also(schema: z.core.$ZodType, value: string, condition: string | undefined): string | undefined {
    const { checks = [] } = schema._zod.def;
    // A format, for example z.int(), is a schema and its own first check.
    const all = schema instanceof z.core.$ZodCheck ? [schema, ...checks] : checks;
    const passed = all.map((check) => passes(check, value));
    if (condition === undefined) return undefined;
    // Beside what zod alone can check, the condition still knows the values of enumerations.
    if (passed.includes(undefined)) passed.push(`${constant(schema)}.safeParse(${value}).success`);
    return `(${[condition, ...passed.filter((each) => each !== undefined)].join(' && ')})`;
  }

  function passes(check: z.core.$ZodCheck, value: string): string | undefined {
    // A check that runs under a condition of its own is left to zod.
    if (check._zod.def.when !== undefined) return undefined;
    if (check instanceof z.core.$ZodCustom)
      return `${constant(isPassed)}(${constant(check._zod.def.fn)}(${value}))`;
    if (check instanceof z.core.$ZodCheckNumberFormat && check._zod.def.format === 'safeint')
      return `Number.isSafeInteger(${value})`;
    if (check instanceof z.core.$ZodCheckGreaterThan)
      return `${value} ${check._zod.def.inclusive ? '>=' : '>'} ${constant(check._zod.def.value)}`;
    if (check instanceof z.core.$ZodCheckRegex && !/[gy]/.test(check._zod.def.pattern.flags))
      return `${constant(check._zod.def.pattern)}.test(${value})`;
    return undefined;
  }

  function objectMatches(schema: z.ZodObject, value: string): string | undefined {
    const { catchall } = schema.def;
    if (catchall !== undefined && !(catchall instanceof z.ZodUnknown)) return undefined;
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    const fields = Object.entries(shape).map(([name, field]) => {
      const condition = `${ifAbsent(field)}${matches(field, 'field')}`;
      return `field = object[${JSON.stringify(name)}];\nif (!(${condition})) return false;`;
    });
    const name = `object${String(functions.length)}`;
    functions.push(
      `function ${name}(object) {
         if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
         let field;
         ${fields.join('\n')}
         return true;
       }`,
    );
    return `${name}(${value})`;
  }

  /** Checks every item, and stops at the first that does not match. */
  function eachMatches(
    schema: z.core.$ZodType,
    value: string,
    each: string,
    isContainer: string,
    skip = 'false',
  ): string {
    const condition = matches(schema, 'item');
    const name = `list${String(functions.length)}`;
    functions.push(
      `function ${name}(list) {
         if (!(${isContainer})) return false;
         for (const ${each}) if (!(${skip}) && !(${condition})) return false;
         return true;
       }`,
    );
    return `${name}(${value})`;
  }

  /** The condition for an absent field. In JSON only an absent field is undefined. */
  function ifAbsent({ _zod: { optin, optout } }: z.core.$ZodType): string {
    if (optin === undefined) return 'field !== undefined && ';
    return optout === 'optional' ? 'field === undefined || ' : '';
  }

  /** Makes a value available to the compiled function, and returns its name there. */
  function constant(value: unknown): string {
    return `constant${String(constants.push(value) - 1)}`;
  }
}

/** Whether a check of a custom schema passed. A promise would count as true. */
function isPassed(result: unknown): boolean {
  if (result === true) return true;
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new z.core.$ZodAsyncError();
  }
  return Boolean(result);
}

const PLAIN = "typeof list === 'object' && list !== null && !Array.isArray(list)";

/** Whether the schema accepts any string. */
export function isAnyString(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodString && !schema.def.coerce && (schema._zod.def.checks ?? []).length === 0;
}
