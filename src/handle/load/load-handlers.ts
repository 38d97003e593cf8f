/** Loads handlers, machines, kinds and sources from a folder. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PortariaError, problemList, type Problem } from '../../kernel/errors.ts';
import { systemClock, type Clock } from '../../kernel/time/clock.ts';
import { isDefinition, isFromConfig, type Definition, type HandlerConfig } from '../define/definition.ts';
import { fromConfigMark } from '../define/marks.ts';
import type { Extensions, Located } from '../kinds/extend-contract.ts';
import { isKindDefinition, type KindDefinition } from '../kinds/kind-definition.ts';
import { isSourceDefinition, type SourceDefinition } from '../kinds/source-definition.ts';
import { createModuleLoader } from './module-loader.ts';

export interface LoadOptions {
  /** The folder whose `.ts`, `.js` and `.mjs` files are loaded, in the order of their names. Its subfolders are not. */
  readonly folder: string;
  readonly config: HandlerConfig;
  /** The longest import of one file, in milliseconds; 10 s by default. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** What the files of a folder define. */
export interface LoadedDefinitions extends Extensions {
  readonly definitions: readonly Definition[];
  /** Files without any text, which are ignored: a redirection of a shell creates one before its command runs. */
  readonly emptyFiles: readonly string[];
  /** The file of each definition, by its name. */
  readonly fileOf: ReadonlyMap<string, string>;
}

/**
 * Loads the handlers and machines of a folder, and the kinds and sources beside them, either the shipped one or a
 * user's. In a user's folder TypeScript is compiled on the fly, and `portaria`
 * resolves to this package.
 *
 * @throws PortariaError `handler-invalid`; it lists each file that cannot be
 *   read, compiled or run, takes too long, defines nothing, or uses the name of another definition.
 */
export async function loadHandlers(options: LoadOptions): Promise<LoadedDefinitions> {
  const { problems, ...loaded } = await readHandlers(options);
  if (problems.length > 0) throw invalidHandlers(options.folder, problems);
  return loaded;
}

/**
 * Does what {@link loadHandlers} does, and returns the mistakes beside what could be loaded, so that a caller can
 * report others with them.
 *
 * @throws PortariaError `handler-invalid` when the folder cannot be read
 */
export async function readHandlers(
  options: LoadOptions,
): Promise<LoadedDefinitions & { readonly problems: readonly Problem[] }> {
  const { folder, config, timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
  const found = await handlerFiles(folder);
  const emptyFiles = (await Promise.all(found.map(isEmpty))).flatMap((empty, at) =>
    empty ? found.slice(at, at + 1) : [],
  );
  const files = found.filter((file) => !emptyFiles.includes(file));
  const importFile = await createModuleLoader(files);
  const load = (file: string) => withinTime(importFile(file), timeoutMs, clock);

  const problems: Problem[] = [];
  const definitions: Definition[] = [];
  const kinds = new Map<KindDefinition, Located<KindDefinition>>();
  const sources = new Map<SourceDefinition, Located<SourceDefinition>>();
  const fileOf = new Map<string, string>();
  for (const file of files) {
    try {
      const exported = exportedDefinitions(await load(file), config);
      // A file that imports a kind may export it again.
      for (const kind of exported.kinds) if (!kinds.has(kind)) kinds.set(kind, { definition: kind, file });
      for (const source of exported.sources)
        if (!sources.has(source)) sources.set(source, { definition: source, file });
      for (const definition of exported.definitions) {
        const other = fileOf.get(definition.name);
        if (other === undefined) {
          fileOf.set(definition.name, file);
          definitions.push(definition);
        } else {
          const use = other === file ? 'used twice in this file' : `also used in ${other}`;
          problems.push({ where: file, message: `the name "${definition.name}" is ${use}: rename one` });
        }
      }
    } catch (error) {
      problems.push({ where: file, message: messageOf(error, file) });
    }
  }
  const extensions = { kinds: [...kinds.values()], sources: [...sources.values()] };
  return { definitions, ...extensions, emptyFiles, fileOf, problems };
}

/** A top-level `await` that never ends would hang the start, or end the process without a word. */
function withinTime(imported: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => {
      reject(
        new Error(
          `its import has not ended within ${String(timeoutMs)} ms: look for an await at its top level that waits for ever (a connection, for example), or raise PORTARIA_HANDLERS_TIMEOUT_MS`,
        ),
      );
    });
    imported.then(resolve, reject).finally(cancel);
  });
}

async function handlerFiles(folder: string): Promise<readonly string[]> {
  try {
    const path = await realpath(folder);
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && isHandlerFile(entry.name))
      .map((entry) => join(path, entry.name))
      .sort();
  } catch (error) {
    const remedy = 'set PORTARIA_HANDLERS to a readable folder';
    throw invalidHandlers(folder, [{ where: folder, message: `${messageOf(error)}; ${remedy}` }]);
  }
}

/** A file that cannot be read is none: its import reports the error. */
async function isEmpty(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size === 0;
  } catch {
    return false;
  }
}

/** Excludes hidden files, type declarations and tests. */
function isHandlerFile(name: string): boolean {
  return /\.(ts|js|mjs)$/.test(name) && !/^\.|\.(d|test|spec)\.[^.]+$/.test(name);
}

interface ExportedDefinitions {
  readonly definitions: ReadonlySet<Definition>;
  readonly kinds: readonly KindDefinition[];
  readonly sources: readonly SourceDefinition[];
}

/** Returns the kinds and sources that a module exports: single ones, and lists of them. */
function exportedKinds(module: unknown): Pick<ExportedDefinitions, 'kinds' | 'sources'> {
  const values = exportsOf(module).flatMap(([, value]): readonly unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  return { kinds: values.filter(isKindDefinition), sources: values.filter(isSourceDefinition) };
}

/**
 * Returns the definitions that a module exports, by default or by name: single
 * definitions, lists, and the results of `fromConfig`. Other exports, such as
 * functions, types and constants, are ignored.
 *
 * @throws TypeError when there is no definition, or a list or `fromConfig` holds
 *   anything else; and whatever the function in a `fromConfig` throws.
 */
function exportedDefinitions(module: unknown, config: HandlerConfig): ExportedDefinitions {
  const found = new Set<Definition>();
  const { kinds, sources } = exportedKinds(module);
  let hasDefinitions = kinds.length + sources.length > 0;
  for (const [name, value] of exportsOf(module)) {
    const definitions = definitionsIn(value, name, config);
    if (definitions === undefined) continue;
    // A `fromConfig` without a definition counts: the file adds no handler on purpose.
    hasDefinitions = true;
    for (const definition of definitions) found.add(definition);
  }
  if (!hasDefinitions) {
    throw new TypeError(
      'exports no handler: export the result of defineHandler, defineMachine, defineKind, defineSource or fromConfig, by default or by name',
    );
  }
  return { definitions: found, kinds, sources };
}

/** Returns undefined when the value holds no definition and may be ignored. */
function definitionsIn(
  value: unknown,
  name: string,
  config: HandlerConfig,
): readonly Definition[] | undefined {
  if (isDefinition(value)) return [value];
  if (isFromConfig(value)) {
    const configured: unknown = value[fromConfigMark](config);
    if (configured === undefined) return [];
    const result = `the result of fromConfig in ${name}`;
    return definitionsIn(configured, result, config) ?? notADefinition(result);
  }
  if (!Array.isArray(value) || !value.some((item) => isDefinition(item) || isFromConfig(item)))
    return undefined;
  return value.flatMap((item: unknown, index) => {
    const itemName = `${name}[${String(index)}]`;
    return definitionsIn(item, itemName, config) ?? notADefinition(itemName);
  });
}

function exportsOf(module: unknown): readonly (readonly [string, unknown])[] {
  // `module.exports = defineHandler(...)`
  if (isKindDefinition(module) || isSourceDefinition(module)) return [['module.exports', module]];
  if (isDefinition(module) || isFromConfig(module) || Array.isArray(module))
    return [['module.exports', module]];
  if (typeof module !== 'object' || module === null) return [];
  // A definition is often exported both by name and by default: read each value once.
  const seen = new Set<unknown>();
  return Object.entries(module).filter(([, value]) => !seen.has(value) && seen.add(value));
}

function notADefinition(name: string): never {
  throw new TypeError(`${name} is not the result of defineHandler or defineMachine`);
}

/** Returns the first line of an error's message; the rest repeats paths and frames. */
function messageOf(error: unknown, file?: string): string {
  const line = file === undefined ? '' : lineIn(error, file);
  if (PortariaError.is(error, 'handler-invalid')) return `${error.message}${line}`;
  const message = error instanceof Error ? error.message : String(error);
  const [first = '', second = ''] = message.trim().split('\n');
  return `${first.trim() || 'failed without an error message'}${positionIn(first, second, file) || line}`;
}

/** The line of the file that the error comes from: jiti keeps lines, and not columns. */
function lineIn(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').find((each) => /^\s+at /.test(each) && each.includes(`${file}:`));
  const line = /:(\d+):\d+\)?$/.exec(frame ?? '')?.[1];
  return line === undefined ? '' : `, at line ${line}`;
}

/** For a syntax error, jiti gives the position on the second line: `<path>:<line>:<column>`, columns from 0. */
function positionIn(first: string, second: string, file: string | undefined): string {
  const position = /^\s*(.+):(\d+):(\d+)\s*$/.exec(second);
  if (position === null || !first.startsWith('ParseError:')) return '';
  const [, path, line = '', column = ''] = position;
  const where = path === file ? '' : ` of ${path ?? ''}`;
  return `, at line ${line}, column ${String(Number(column) + 1)}${where}`;
}

/** The error for the mistakes of a folder. */
export function invalidHandlers(folder: string, problems: readonly Problem[]): PortariaError {
  const list = problemList(problems, '\n');
  return new PortariaError('handler-invalid', `the handlers in ${folder} cannot be loaded:\n${list}`, {
    problems,
  });
}
