import type { z } from 'zod';
import type { Operator } from './operator.ts';

/** What a filter's value can be once it is read. */
export type FilterValue = string | number | boolean;

/** One field that a list can be filtered by. */
export interface FilterField {
  /** Reads the text of the query string. */
  readonly value: z.ZodType<FilterValue, string>;
  /** The only operators that the endpoint allows for the field. */
  readonly operators: readonly Operator[];
}

/** By the field's path, dots between its parts: `company.external_uid`. */
export type Filters = Readonly<Record<string, FilterField>>;

/** One condition that a request asks for. */
export interface Condition {
  /** Path of the field, as declared. */
  readonly field: string;
  readonly operator: Operator;
  readonly value: FilterValue;
}

export function filterBy<const Operators extends readonly Operator[], Value extends FilterValue>(
  value: z.ZodType<Value, string>,
  operators: Operators,
): { readonly value: z.ZodType<Value, string>; readonly operators: Operators } {
  return { value, operators };
}

/** `filters[company][external_uid][$eq]` (specification, Conventions 6). */
export function filterParameter(field: string, operator: Operator): string {
  return `filters${[...field.split('.'), operator].map((part) => `[${part}]`).join('')}`;
}

/** The query parameters that these filters allow, each optional. */
export function filterParameters(filters: Filters): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([field, { value, operators }]) =>
      operators.map((operator) => [filterParameter(field, operator), value.optional()]),
    ),
  );
}

/** The conditions among the query parameters that {@link filterParameters} has read. */
export function conditionsIn(
  filters: Filters,
  read: Readonly<Record<string, unknown>>,
): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const [field, { operators }] of Object.entries(filters)) {
    for (const operator of operators) {
      const value = read[filterParameter(field, operator)];
      if (isFilterValue(value)) conditions.push({ field, operator, value });
    }
  }
  return conditions;
}

function isFilterValue(value: unknown): value is FilterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
