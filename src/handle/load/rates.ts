/** The rates of a process: which bucket each handler and each machine's effects take their calls from. */
import { PortariaError, problemList, type Problem } from '../../kernel/errors.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { Definition } from '../define/definition.ts';
import { effectsName } from '../define/machine.ts';
import { PER_MS, type RateLimit } from '../define/rate.ts';

/** How often code is called, in all processes together. */
export interface Rate extends Pick<RateLimit<StoredEvent>, 'limit' | 'per'> {
  /** The handler or machine, or `rate:<name>` for one that several share. */
  readonly bucket: string;
  /** Microseconds between two calls. Rounded up: never more than the limit. */
  readonly intervalUs: number;
  readonly burst: number;
  readonly key: RateLimit<StoredEvent>['key'];
}

/**
 * Resolves the rates of definitions, by the name that their deliveries carry.
 *
 * @throws PortariaError `handler-invalid`; it lists each name that no definition defines, and each that two define
 *   differently
 */
export function resolveRates(definitions: readonly Definition[]): ReadonlyMap<string, Rate> {
  const problems: Problem[] = [];
  const shared = new Map<string, { readonly limit: RateLimit<StoredEvent>; readonly of: string }>();
  const title = ({ type, name }: Definition): string => `${type} "${name}"`;
  for (const definition of definitions) {
    const limit = definition.rate;
    if (typeof limit !== 'object' || limit.name === undefined) continue;
    const known = shared.get(limit.name);
    if (known === undefined) shared.set(limit.name, { limit, of: title(definition) });
    else if (!isSame(limit, known.limit))
      problems.push({
        where: title(definition),
        message: `rate "${limit.name}" differs from that of ${known.of}: make them equal, or write rate: '${limit.name}' in one of them`,
      });
  }
  const rates = new Map<string, Rate>();
  for (const definition of definitions) {
    const { rate, name, type } = definition;
    if (rate === undefined) continue;
    const limit = typeof rate === 'string' ? shared.get(rate)?.limit : rate;
    if (limit !== undefined) rates.set(type === 'machine' ? effectsName(name) : name, rateOf(limit, name));
    else if (typeof rate === 'string')
      problems.push({
        where: title(definition),
        message: `rate "${rate}" is defined nowhere: one definition needs rate: { name: '${rate}', limit, per }`,
      });
  }
  if (problems.length === 0) return rates;
  throw new PortariaError('handler-invalid', problemList(problems), { problems });
}

function rateOf({ limit, per, burst = 1, key, name }: RateLimit<StoredEvent>, own: string): Rate {
  const intervalUs = Math.ceil((PER_MS[per] * 1_000) / limit);
  return { bucket: name === undefined ? own : `rate:${name}`, intervalUs, burst, limit, per, key };
}

function isSame(one: RateLimit<StoredEvent>, other: RateLimit<StoredEvent>): boolean {
  return (
    one.limit === other.limit &&
    one.per === other.per &&
    (one.burst ?? 1) === (other.burst ?? 1) &&
    one.key === other.key
  );
}
