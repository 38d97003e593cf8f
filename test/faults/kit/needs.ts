import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { needsPostgres } from '../../../scripts/postgres/programs.mjs';
import { freeBytes } from '../../../src/store/sqlite/file/disk.ts';
import { findHaproxy } from './programs/haproxy.ts';
import { findPgBouncer } from './programs/pgbouncer.ts';

/** A requirement of a test, and the remedy if it is not met. */
interface Need {
  readonly met: () => boolean;
  readonly remedy: string;
}

const needs = {
  strace: {
    met: () => spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0,
    remedy: 'strace is missing or may not trace: install it (apt-get install strace)',
  },
  terminal: {
    met: () => spawnSync('script', ['-qec', 'stty cols 100', '/dev/null']).status === 0,
    remedy: 'script of util-linux is missing: install it (apt-get install bsdutils)',
  },
  linux: {
    met: () => existsSync('/proc/self/task'),
    remedy: 'needs /proc to look into a process: Linux only',
  },
  room: {
    met: () => freeBytes(tmpdir()) > 3e9,
    remedy: `needs 3 GB of room in ${tmpdir()}`,
  },
  postgres: {
    met: () => needsPostgres() === undefined,
    remedy: needsPostgres() ?? '',
  },
  pgbouncer: {
    met: () => findPgBouncer() !== undefined,
    remedy: 'PgBouncer is missing: install it (apt-get install pgbouncer)',
  },
  haproxy: {
    met: () => findHaproxy() !== undefined,
    remedy: 'HAProxy is missing: install it (apt-get install haproxy)',
  },
  mount: {
    met: mayMount,
    remedy: 'needs to mount a disk of its own: run it as root, in a container with CAP_SYS_ADMIN',
  },
} satisfies Record<string, Need>;

/**
 * Skips the test, with the reason, if a requirement is not met. With PORTARIA_FORBID_SKIPS=1 it fails
 * instead.
 */
export function need(context: Pick<TestContext, 'skip'>, ...names: readonly (keyof typeof needs)[]): void {
  const reason = names.map((name) => needs[name]).find(({ met }) => !met())?.remedy;
  if (reason === undefined) return;
  if (process.env['PORTARIA_FORBID_SKIPS'] === '1') throw new Error(`skips are forbidden: ${reason}`);
  context.skip(reason);
}

/** Reports that a part of a test is left out. With PORTARIA_FORBID_SKIPS=1 it fails instead. */
export function leaveOut(reason: string): void {
  if (process.env['PORTARIA_FORBID_SKIPS'] === '1') throw new Error(`skips are forbidden: ${reason}`);
  process.stdout.write(`  ${reason}\n`);
}

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-mount-'));
  try {
    if (spawnSync('mount', ['-t', 'tmpfs', 'portaria-faults', folder]).status !== 0) return false;
    return spawnSync('umount', ['--lazy', folder]).status === 0;
  } finally {
    rmdirSync(folder);
  }
}
