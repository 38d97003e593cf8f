import { PortariaError, type Problem } from '../../kernel/errors.ts';
import { fieldProblems, type FieldRule, type FieldRules, isFunction, isObject } from './field-rules.ts';
import { patternList, patternProblem } from './patterns.ts';
import { toJson } from './to-json.ts';

/** `setTimeout` cannot wait longer than this. */
const MAX_MS = 2 ** 31 - 1;

const orders: readonly unknown[] = ['subject', 'handler', 'none'];

const commonRules: FieldRules = {
  name: {
    required: true,
    must: 'lower-case letters, digits and dashes, the first not a dash',
    fits: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
  },
  on: {
    required: true,
    must: 'a kind, a wildcard, or a list of at least one',
    fits: (value) => {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      return list.length > 0 && list.every((pattern) => typeof pattern === 'string');
    },
  },
  retry: {
    must: 'an object',
    fits: isObject,
    fields: { attempts: count(1), baseMs: count(0, MAX_MS), maxMs: count(0, MAX_MS) },
  },
  timeoutMs: count(1, MAX_MS),
  breaker: { must: 'an object', fits: isObject, fields: { failures: count(1), subjects: count(1) } },
};

const handlerRules: FieldRules = {
  ...commonRules,
  order: { must: '"subject", "handler" or "none"', fits: (value) => orders.includes(value) },
  stale: { must: 'true or false', fits: (value) => typeof value === 'boolean' },
  handle: { required: true, must: 'a function', fits: isFunction },
};

const machineRules: FieldRules = {
  ...commonRules,
  initial: { required: true, must: 'a JSON value', fits: (value) => value !== undefined },
  evolve: { required: true, must: 'a function', fits: isFunction },
  anomalies: { must: 'a function', fits: isFunction },
  effects: { must: 'an object of effects by name', fits: isObject },
  table: {
    must: 'an object, or null',
    fits: (value) => value === null || isObject(value),
  },
};

const tableRules: FieldRules = {
  initial: { required: true, must: 'a text', fits: isText },
  transitions: {
    required: true,
    must: 'a list of {from, on, to}',
    fits: (value) =>
      Array.isArray(value) &&
      value.every(
        (move: unknown) => isObject(move) && ['from', 'on', 'to'].every((key) => isText(at(move, key))),
      ),
  },
};

const effectRules: FieldRules = {
  when: { required: true, must: 'a function', fits: isFunction },
  run: { required: true, must: 'a function', fits: isFunction },
};

/** @throws PortariaError `handler-invalid` */
export function checkHandler(definition: unknown): void {
  refuse('handler', definition, problemsOf(definition, handlerRules));
}

/** @throws PortariaError `handler-invalid` */
export function checkMachine(definition: unknown): void {
  const problems = problemsOf(definition, machineRules);
  const { effects, initial, table } = (definition ?? {}) as Partial<Record<string, unknown>>;
  if (initial !== undefined) problems.push(...jsonProblems(initial));
  if (isObject(table)) problems.push(...fieldProblems(table, tableRules, 'table.'));
  for (const [name, effect] of isObject(effects) ? Object.entries(effects) : []) {
    if (effect === undefined) continue;
    const where = `effects.${name}`;
    if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) {
      problems.push({ where, message: 'must be named with letters, digits, dashes and underscores' });
    }
    if (isObject(effect)) problems.push(...fieldProblems(effect, effectRules, `${where}.`));
    else problems.push({ where, message: 'must be an object with the functions when and run' });
  }
  refuse('machine', definition, problems);
}

function problemsOf(definition: unknown, rules: FieldRules): Problem[] {
  if (!isObject(definition)) return [{ where: 'definition', message: 'must be an object' }];
  const problems = fieldProblems(definition, rules);
  const wrong = new Set(problems.map(({ where }) => where));
  if (!wrong.has('on')) {
    for (const pattern of patternList((definition as { on: string | string[] }).on)) {
      const message = patternProblem(pattern);
      if (message !== undefined) problems.push({ where: 'on', message });
    }
  }
  const { baseMs, maxMs } = (at(definition, 'retry') ?? {}) as { baseMs?: unknown; maxMs?: unknown };
  if (typeof baseMs === 'number' && typeof maxMs === 'number' && maxMs < baseMs) {
    problems.push({
      where: 'retry.maxMs',
      message: `is ${String(maxMs)}: it must be at least retry.baseMs, ${String(baseMs)}`,
    });
  }
  return problems;
}

function jsonProblems(initial: unknown): Problem[] {
  try {
    toJson(initial, 'it');
    return [];
  } catch (error) {
    return [{ where: 'initial', message: error instanceof Error ? error.message : 'must be JSON' }];
  }
}

function refuse(type: string, definition: unknown, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const name = isObject(definition) ? at(definition, 'name') : undefined;
  const title = isText(name) ? `${type} "${name}"` : `a ${type} without a name`;
  const list = problems.map(({ where, message }) => `${where}: ${message}`);
  throw new PortariaError('handler-invalid', `${title} is not valid: ${list.join('; ')}`, { problems });
}

function count(least: number, most = Number.MAX_SAFE_INTEGER): FieldRule {
  return {
    must:
      most === MAX_MS
        ? `whole milliseconds from ${String(least)} to ${String(most)}`
        : `a whole number from ${String(least)}`,
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function at(object: object, key: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[key];
}
