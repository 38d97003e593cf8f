/** The filter language of lists. */
import { z } from 'zod';
import { date } from '../field/time.ts';
import { isInstant, normalizeInstant } from '../instant.ts';

/** Every operator of the filter language, in the specification's order (Conventions 6). */
export const operators = [
  '$eq',
  '$ne',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$contains',
  '$startsWith',
  '$endsWith',
] as const;

export type Operator = (typeof operators)[number];

/** The operators that dates and instants allow. */
export const ordering = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'] as const;

/** The operators that most other fields allow. */
export const equality = ['$eq', '$ne'] as const;

/** The value of a filter after it is read. */
export type FilterValue = string | number | boolean;

/** A field that a list can be filtered by. */
export interface FilterField {
  /** Reads the value in the query string. */
  readonly value: z.ZodType<FilterValue, string>;
  /** The operators that the endpoint allows for the field. */
  readonly operators: readonly Operator[];
}

/** Filter fields by path, with dots between the parts: `company.external_uid`. */
export type Filters = Readonly<Record<string, FilterField>>;

/** One condition in a request. */
export interface Condition {
  /** The field's path as declared. */
  readonly field: string;
  readonly operator: Operator;
  readonly value: FilterValue;
}

/** Declares a filter field. */
export function filterBy<const Operators extends readonly Operator[], Value extends FilterValue>(
  value: z.ZodType<Value, string>,
  operators: Operators,
): { readonly value: z.ZodType<Value, string>; readonly operators: Operators } {
  return { value, operators };
}

/** Names a query parameter: `filters[company][external_uid][$eq]` (specification, Conventions 6). */
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

/** The conditions in query parameters that {@link filterParameters} has read. */
export function conditionsIn(
  filters: Filters,
  parameters: Readonly<Record<string, unknown>>,
): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const [field, { operators }] of Object.entries(filters)) {
    for (const operator of operators) {
      const value = parameters[filterParameter(field, operator)];
      if (isFilterValue(value)) conditions.push({ field, operator, value });
    }
  }
  return conditions;
}

function isFilterValue(value: unknown): value is FilterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const ONE_VALUE = 'expected one value that is not empty';

/** A non-empty string. An empty one is more likely a mistake than a question. */
export const stringValue = z.string({ error: ONE_VALUE }).min(1, { error: ONE_VALUE });

/** A record's numeric id. */
export const idValue = z
  .string({ error: ONE_VALUE })
  .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
  .transform(Number);

/** `true` or `false`. */
export const booleanValue = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .transform((value) => value === 'true');

/** `YYYY-MM-DD`. */
export const dateValue = date;

/**
 * An ISO 8601 date-time, read as an instant in UTC with milliseconds; without an offset it means UTC. Or a date,
 * which is read as it is and means the whole day in UTC (specification, Conventions 7).
 */
export const instantValue = z.string({ error: ONE_VALUE }).transform((value, context): string => {
  if (dateValue.safeParse(value).success) return value;
  const instant = normalizeInstant(value);
  if (instant !== null) return `${instant.slice(0, 'YYYY-MM-DDTHH:mm:ss.sss'.length)}Z`;
  context.addIssue({
    code: 'custom',
    message: 'expected an ISO 8601 date or date-time such as 2026-03-09 or 2026-03-09T14:05:00Z',
  });
  return z.NEVER;
});

const PERIOD = 'expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss';

/** A day or a second in UTC, read as the prefix of its timestamps: `2026-03-09`, `2026-03-09T14:05:00`. */
export const periodValue = z
  .string({ error: ONE_VALUE })
  .regex(/^\d{4}-\d\d-\d\d( \d\d:\d\d:[0-5]\d)?$/, { error: PERIOD })
  .transform((value) => value.replace(' ', 'T'))
  .refine((value) => isInstant(value.includes('T') ? value : `${value}T00:00`), { error: PERIOD });

/** One of the values that the specification lists. */
export function valueAmong<const Value extends string>(values: readonly Value[]): z.ZodType<Value, string> {
  return z.enum(values, {
    error: ({ input }) => (typeof input === 'string' ? `expected one of ${values.join(', ')}` : ONE_VALUE),
  });
}
