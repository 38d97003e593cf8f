/** The process that erases, as others are told of it. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { ErasingProcess } from '../../privacy.ts';

/** Names a process as the database and lists of processes do. */
export function processName(host: string, pid: number): string {
  return `${host}:${String(pid)}`;
}

/** The error for an erasure that would begin while another one runs. */
export function erasureRefused(holder: ErasingProcess | null): PortariaError {
  const where = holder === null ? '' : ` in the process ${holder.process}`;
  const since = holder?.since == null ? '' : ` since ${new Date(holder.since).toISOString()}`;
  return new PortariaError(
    'erasure-refused',
    `Another erasure runs${where}${since}: start this one when it has ended`,
  );
}
