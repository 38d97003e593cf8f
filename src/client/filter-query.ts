import { filterParameter, type Filters, operators } from '../contract/api/filter.ts';
import { PortariaError } from '../kernel/errors.ts';
import { isScalar } from './scalar.ts';

/**
 * The query parameters of filters that are given as objects,
 * `{company: {external_uid: {$eq: 'matriz'}}}`.
 *
 * @throws PortariaError `invalid-argument` for what the list does not take: to
 *   leave it out would answer records that were not asked for.
 */
export function filterQuery(filters: Filters, given: object): [string, string][] {
  return parametersBelow(filters, given, '');
}

function parametersBelow(filters: Filters, given: object, prefix: string): [string, string][] {
  return Object.entries(given).flatMap(([name, below]: [string, unknown]) => {
    if (below === undefined) return [];
    const path = prefix + name;
    const leads = Object.keys(filters).some((field) => field === path || field.startsWith(`${path}.`));
    if (!leads || typeof below !== 'object' || below === null) throw unknownFilter(path, filters);
    const field = Object.hasOwn(filters, path) ? filters[path] : undefined;
    if (field === undefined) return parametersBelow(filters, below, `${path}.`);
    return Object.entries(below).flatMap(([sign, value]: [string, unknown]) => {
      if (value === undefined) return [];
      const operator = operators.find((known) => known === sign);
      if (operator === undefined || !field.operators.includes(operator) || !isScalar(value))
        throw unknownFilter(`${path}.${sign}`, filters);
      return [[filterParameter(path, operator), String(value)] satisfies [string, string]];
    });
  });
}

function unknownFilter(path: string, filters: Filters): PortariaError {
  const known = Object.entries(filters).map(([field, { operators }]) => `${field} (${operators.join(' ')})`);
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}, each with a value`;
  return new PortariaError('invalid-argument', `the list has no such filter: ${path}; ${takes}`);
}
