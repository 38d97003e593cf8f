import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenOver } from './when-over.ts';

/** A temporary folder with handlers, a database and a record of handler runs. Removed after the test, or its file. */
export interface Workspace {
  readonly folder: string;
  readonly handlers: string;
  readonly database: string;
  /** The settings of a program with that database and these handlers. */
  readonly settings: { readonly PORTARIA_DATABASE: string; readonly PORTARIA_HANDLERS: string };
  /** Writes a file into the folder of handlers. */
  writeHandler(name: string, source: string): void;
  /** The lines that handlers recorded, in order. */
  recorded(): readonly string[];
  /** Opens a gate that handlers wait for: see {@link recording}. */
  open(gate: string): void;
}

export function createWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-end-to-end-'));
  whenOver(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const handlers = join(folder, 'handlers');
  mkdirSync(handlers);
  const record = join(folder, 'record');
  const database = join(folder, 'portaria.db');
  return {
    folder,
    handlers,
    database,
    settings: { PORTARIA_DATABASE: database, PORTARIA_HANDLERS: handlers },
    writeHandler(name, source) {
      writeFileSync(join(handlers, name), source);
    },
    recorded: () => (existsSync(record) ? readFileSync(record, 'utf8').split('\n').slice(0, -1) : []),
    open(gate) {
      writeFileSync(join(folder, gate), '');
    },
  };
}

/**
 * The first lines of a handler file. They define `record(line)`, which writes the line at once, and
 * `opened(gate, signal)`, which resolves when the test opens that gate.
 */
export function recording({ folder }: Pick<Workspace, 'folder'>): string {
  return `
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineHandler, GiveUp } from 'portaria';

const folder: string = ${JSON.stringify(folder)};
function record(line: string): void {
  appendFileSync(join(folder, 'record'), line + '\\n');
}
async function opened(gate: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(join(folder, gate))) await pause(10, undefined, { signal });
}
`;
}
