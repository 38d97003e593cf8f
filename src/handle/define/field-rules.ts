import type { Problem } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';

/** What the value of a field must be. */
export interface FieldRule {
  /** Completes "it must be ...". */
  readonly must: string;
  fits(value: unknown): boolean;
  readonly required?: true;
  /** For objects: their own fields. */
  readonly fields?: FieldRules;
}

export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Everything about an object's fields that breaks the rules: missing, wrong and unknown ones. */
export function fieldProblems(object: object, rules: FieldRules, path = ''): Problem[] {
  const values = object as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(rules).flatMap(([name, rule]): Problem[] => {
    const where = path + name;
    const value = values[name];
    if (value === undefined) {
      return rule.required === true ? [{ where, message: `is missing: it must be ${rule.must}` }] : [];
    }
    if (!rule.fits(value)) return [{ where, message: `is ${inWords(value)}: it must be ${rule.must}` }];
    return rule.fields === undefined ? [] : fieldProblems(value as object, rule.fields, `${where}.`);
  });
  const unknown = Object.keys(object)
    .filter((name) => !Object.hasOwn(rules, name) && values[name] !== undefined)
    .map((name) => {
      const near = suggest(name, Object.keys(rules));
      const remedy =
        near === undefined ? `known are ${Object.keys(rules).join(', ')}` : `did you mean ${near}?`;
      return { where: path + name, message: `is not a field here: ${remedy}` };
    });
  return [...wrong, ...unknown];
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function';
}

function inWords(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
