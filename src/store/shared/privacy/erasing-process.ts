/** The process that erases, as others are told of it. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { ErasingProcess } from '../../privacy.ts';

/** Names a process as the database and lists of processes do. */
export function processName(host: string, pid: number): string {
  return `${host}:${String(pid)}`;
}

/** The error for an erasure that would begin while another one runs. */
export function erasureRefused(holder: ErasingProcess | null): PortariaError {
  return new PortariaError('erasure-refused', {
    code: 'other-erasure',
    process: holder?.process ?? null,
    since: holder?.since == null ? null : new Date(holder.since).toISOString(),
  });
}
