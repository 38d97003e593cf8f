import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { PortariaError } from '../../kernel/errors.ts';
import type { Problem } from '../../kernel/errors.ts';
import { createCompilingLoader } from './compiling-loader.ts';
import type { Definition } from '../define/definition.ts';
import { exportedDefinitions } from './exported-definitions.ts';
import type { HandlerConfig } from '../define/handler-config.ts';
import { mentionsClient } from './mentions-client.ts';
import { isShipped, loadOwn } from './own-modules.ts';

export interface LoadOptions {
  /** Its `.ts`, `.js` and `.mjs` files are loaded, in the order of their names; not its folders. */
  readonly folder: string;
  readonly config: HandlerConfig;
}

/**
 * The handlers and machines of a folder: the shipped one, or any other, whose
 * TypeScript is compiled on the way and where `portaria` means this very package.
 *
 * @throws PortariaError `handler-invalid` naming every file that is no good
 *   and why: it cannot be read, compiled or run, defines nothing, or takes a
 *   name that another file has.
 */
export async function loadHandlers({ folder, config }: LoadOptions): Promise<readonly Definition[]> {
  const files = await handlerFiles(folder);
  const load = files.every(isShipped)
    ? loadOwn
    : await createCompilingLoader({ client: await mentionsClient(folder) });

  const problems: Problem[] = [];
  const definitions: Definition[] = [];
  const fileOf = new Map<string, string>();
  for (const file of files) {
    try {
      const module = await load(file);
      for (const definition of exportedDefinitions(module, config)) {
        const other = fileOf.get(definition.name);
        if (other === undefined) {
          fileOf.set(definition.name, file);
          definitions.push(definition);
        } else {
          const place = other === file ? 'twice in this file' : `also in ${other}`;
          problems.push({
            where: file,
            message: `the name "${definition.name}" is ${place}: change one of the two`,
          });
        }
      }
    } catch (error) {
      problems.push(...problemsOf(file, error));
    }
  }
  if (problems.length > 0) throw invalid(folder, problems);
  return definitions;
}

async function handlerFiles(folder: string): Promise<readonly string[]> {
  try {
    const place = await realpath(folder);
    const entries = await readdir(place, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && isHandlerFile(entry.name))
      .map((entry) => join(place, entry.name))
      .sort();
  } catch (error) {
    const remedy = 'name a folder that can be read (PORTARIA_HANDLERS)';
    throw invalid(folder, [{ where: folder, message: `${messageOf(error)}; ${remedy}` }]);
  }
}

/** Declarations, tests and hidden files are not handlers. */
function isHandlerFile(name: string): boolean {
  return /\.(ts|js|mjs)$/.test(name) && !/^\.|\.(d|test|spec)\.[^.]+$/.test(name);
}

function problemsOf(file: string, error: unknown): readonly Problem[] {
  if (PortariaError.is(error, 'handler-invalid')) return [{ where: file, message: error.message }];
  return [{ where: file, message: messageOf(error, file) }];
}

/** The first line says it; what follows are frames and paths that the problem names already. */
function messageOf(error: unknown, file?: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const [first = '', second = ''] = text.trim().split('\n');
  return `${first.trim()}${placeOf(first, second, file)}` || 'failed without a word';
}

/** A mistake of syntax: jiti tells where on the second line, `<path>:<line>:<column>`, columns from 0. */
function placeOf(first: string, second: string, file: string | undefined): string {
  const place = /^\s*(.+):(\d+):(\d+)\s*$/.exec(second);
  if (place === null || !first.startsWith('ParseError:')) return '';
  const [, path, line = '', column = ''] = place;
  const where = path === file ? '' : ` of ${path ?? ''}`;
  return `, at line ${line}, column ${String(Number(column) + 1)}${where}`;
}

function invalid(folder: string, problems: readonly Problem[]): PortariaError {
  const list = problems.map(({ where, message }) => `${where}: ${message}`).join('\n');
  return new PortariaError('handler-invalid', `the handlers in ${folder} cannot be loaded:\n${list}`, {
    problems,
  });
}
