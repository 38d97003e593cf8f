import { resourceNamed, specifiedFields, type Resource } from '../kit/specification.ts';

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  day: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  instant: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value),
  map: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
};

/**
 * Lists the differences between a value and the specification of a resource:
 * missing fields, unknown fields, wrong types. Any field but `id` may be null,
 * because the specification does not say which are nullable.
 *
 * @param filled called with each field that is present and not null.
 */
export function mismatches(
  resource: Resource,
  value: unknown,
  filled?: (field: string) => void,
): readonly string[] {
  if (!isObject(value)) return [`${resource} is ${JSON.stringify(value)}`];
  const specified = specifiedFields(resource);
  const unknown = Object.keys(value).filter((given) => !specified.some(({ name }) => name === given));
  return [
    ...unknown.map((name) => `${resource} has the unknown field ${name}`),
    ...specified.flatMap(({ name, type }) => {
      const field = `${resource}.${name}`;
      if (!(name in value)) return [`${field} is missing`];
      const given = value[name];
      if (given === null) return name === 'id' ? [`${field} is null`] : [];
      filled?.(field);
      if (type.startsWith('{')) return mismatches(resourceNamed(type), given, filled);
      if (!type.startsWith('['))
        return fits(type, given) ? [] : [`${field} is ${JSON.stringify(given)}, not ${type}`];
      if (!Array.isArray(given)) return [`${field} is not a list`];
      return given.flatMap((one) => mismatches(resourceNamed(type), one, filled));
    }),
  ];
}

function fits(type: string, value: unknown): boolean {
  const isOfType = types[type];
  if (isOfType !== undefined) return isOfType(value);
  return typeof value === 'string' && type.split('|').includes(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
