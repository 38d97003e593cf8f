import { PortariaError } from '../../kernel/errors.ts';

/** The error for a database that `store copy` has begun to write. Some of its rows are missing. */
export function unfinishedCopy(location: string): PortariaError {
  return new PortariaError(
    'store-unsupported',
    `the copy into ${location} is not finished: run \`portaria store copy\` again, from the same database`,
  );
}
