import { PortariaError } from '../kernel/errors.ts';

/** For `?? notFound(...)`. */
export function notFound(what: string, id: string): never {
  throw new PortariaError('not-found', `There is no ${what} ${id}`);
}
