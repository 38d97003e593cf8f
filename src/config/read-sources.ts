/** Reads the sources of PORTARIA_SOURCES. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import type { SourceFields } from '../contract/source-fields.ts';
import { isJsonObject, ownMember, type JsonValue } from '../kernel/json/json.ts';
import { suggest } from '../kernel/text/suggest.ts';
import type { ConfiguredSource } from './config.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import { checkFields, headerOfMessageId } from './source-settings.ts';
import { readSecretFile, readTextFile } from './text-file.ts';
import { checkVerification, sourceEntry, VERIFY } from './verification.ts';

const WHERE = 'PORTARIA_SOURCES';

/** Names appear in paths, rows and metric labels. */
export const sourceName = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What `PORTARIA_SOURCES` says. */
export interface ReadSources {
  readonly sources: ReadonlyMap<string, ConfiguredSource>;
  /** The entry of `default` without its verification, and whether it has one, valid or not. */
  readonly ofDefault: Omit<ConfiguredSource, 'verify'>;
  readonly verifiesDefault: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** What applies to entries that do not say it. */
export interface SourceDefaults {
  readonly messageIdHeader: string;
  /** Address of the port, if other machines can reach it; else null. */
  readonly reachable: string | null;
  /** Whether `PORTARIA_VERIFY` says how `default` is verified, so that its entry must not. */
  readonly isDefaultVerified: boolean;
}

/**
 * Reads `PORTARIA_SOURCES`: JSON, or the path of a JSON file.
 *
 * @param cwd base of relative paths, also of secret files
 */
export function readSources(setting: string, cwd: string, defaults: SourceDefaults): ReadSources {
  const sources = new Map<string, ConfiguredSource>();
  const nothing = { sources, ofDefault: {}, verifiesDefault: false, warnings: [] };
  const json = readJson(setting, cwd);
  if (typeof json !== 'string') return { ...nothing, problems: [json] };
  const entries = parseEntries(json);
  if (!(entries instanceof Map)) return { ...nothing, problems: [entries] };

  const problems: Problem[] = repeatedNames(json).map((name) => ({
    where: `${WHERE}.${name}`,
    message: 'occurs twice; keep one of them',
  }));
  const warnings: string[] = [];
  let ofDefault: ReadSources['ofDefault'] = {};
  for (const [name, entry] of entries) {
    const where = `${WHERE}.${name}`;
    if (!sourceName.test(name)) {
      const message = 'is not a valid name; use lowercase letters, digits and hyphens';
      problems.push({ where, message });
      continue;
    }
    const read = readEntry(entry, where, cwd, { ...defaults, isDefault: name === 'default' });
    problems.push(...read.problems);
    warnings.push(...read.warnings);
    if (name === 'default' && read.fields !== undefined) ofDefault = read.fields;
    if (read.fields !== undefined && read.verify !== undefined)
      sources.set(name, { ...read.fields, verify: read.verify });
  }
  const verifiesDefault = ownMember(entries.get('default') as JsonValue, 'verify') !== undefined;
  return { sources, ofDefault, verifiesDefault, problems, warnings };
}

type Entry = z.output<typeof sourceEntry>;

interface ReadEntry {
  /** Undefined if there are problems. */
  readonly fields?: ReadSources['ofDefault'];
  readonly verify?: VerifyOptions | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

function readEntry(
  entry: unknown,
  where: string,
  cwd: string,
  defaults: SourceDefaults & { readonly isDefault: boolean },
): ReadEntry {
  const read = sourceEntry.safeParse(entry);
  if (!read.success)
    return { problems: read.error.issues.flatMap((issue) => problemsOf(issue, where)), warnings: [] };
  const { verify, secrets, secretsFile, header, messageIdHeader, trustMessageId, ...rest } = read.data;
  const { apiKey, apiKeyFile, ...fields } = rest as typeof rest & SourceFields;
  const key = oneOfBoth('apiKey', apiKey, apiKeyFile, cwd);
  const given = oneOfBoth('secrets', secrets, secretsFile, cwd);
  const mistakes = [key, given].flatMap(({ from, mistake }) =>
    mistake === undefined ? [] : [{ where: `${where}.${from}`, message: mistake }],
  );
  const checked = checkFields(
    fields,
    { value: key.found?.[0], where: `${where}.${key.from}` },
    (field) => `${where}.${field}`,
    {
      name: defaults.isDefault ? 'default' : where,
      hasSecrets: verify === undefined ? defaults.isDefaultVerified : verify !== 'none',
      reachable: defaults.reachable,
    },
  );
  const problems = [...mistakes, ...checked.problems, ...problemsOfVerify(read.data, where, defaults)];
  if (mistakes.length > 0 || verify === undefined)
    return { problems, warnings: [], ...(problems.length === 0 && { fields: checked.fields }) };
  const { options, ...found } = checkVerification(
    {
      verify,
      secrets: given.found ?? [],
      header,
      messageIdHeader: headerOfMessageId(fields) ?? messageIdHeader,
      usualMessageIdHeader: defaults.messageIdHeader,
      trustMessageId: trustMessageId ?? false,
    },
    {
      verify: `${where}.verify`,
      secrets: `${where}.${given.from}`,
      header: `${where}.header`,
      messageIdHeader: `${where}.${typeof fields.messageId === 'object' ? 'messageId' : 'messageIdHeader'}`,
    },
    defaults.reachable,
  );
  return {
    fields: checked.fields,
    verify: options,
    problems: [...problems, ...found.problems],
    warnings: found.warnings,
  };
}

/** `verify` is required, but `PORTARIA_VERIFY` may say how `default` is verified. */
function problemsOfVerify(
  entry: Entry,
  where: string,
  { isDefault, isDefaultVerified }: SourceDefaults & { readonly isDefault: boolean },
): readonly Problem[] {
  if (!isDefault) return entry.verify === undefined ? [{ where: `${where}.verify`, message: VERIFY }] : [];
  if (entry.verify !== undefined)
    return isDefaultVerified
      ? [{ where: `${where}.verify`, message: 'and PORTARIA_VERIFY are both set; keep one of them' }]
      : [];
  const ofVerify = ['secrets', 'secretsFile', 'header', 'messageIdHeader', 'trustMessageId'] as const;
  return ofVerify
    .filter((name) => entry[name] !== undefined)
    .map((name) => ({ where: `${where}.${name}`, message: 'has no effect without verify; set both here' }));
}

/** A secret, or several, of an entry or of the file that it names. */
interface Given {
  readonly found?: readonly string[] | undefined;
  /** The field that has it. */
  readonly from: string;
  readonly mistake?: string;
}

function oneOfBoth(
  name: 'secrets' | 'apiKey',
  value: readonly string[] | string | undefined,
  file: string | undefined,
  cwd: string,
): Given {
  const found = typeof value === 'string' ? [value] : value;
  if (file === undefined) return { found, from: name };
  const from = `${name}File`;
  if (found !== undefined) return { from, mistake: `and ${name} are both set; keep one of them` };
  const { lines, mistake } = readSecretFile(file, cwd);
  return lines === undefined ? { from, mistake } : { found: lines, from };
}

function problemsOf(issue: z.core.$ZodIssue, where: string): readonly Problem[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ where: [where, ...issue.path].join('.'), message: issue.message }];
  return issue.keys.map((key) => {
    const meant = suggest(key, Object.keys(sourceEntry.shape));
    const known = Object.keys(sourceEntry.shape).join(', ');
    const hint = meant === undefined ? `; the settings are ${known}` : `; did you mean ${meant}?`;
    return { where: `${where}.${key}`, message: `is not a setting of a source${hint}` };
  });
}

const NEITHER = 'is neither JSON (which starts with {) nor a readable file';

function readJson(setting: string, cwd: string): string | Problem {
  if (setting.startsWith('{')) return setting;
  const { content, mistake } = readTextFile(resolve(cwd, setting));
  return content ?? { where: WHERE, message: `${NEITHER}: it ${mistake}` };
}

function parseEntries(json: string): Map<string, unknown> | Problem {
  try {
    const entries: unknown = JSON.parse(json);
    // A check by zod would drop the name __proto__.
    if (isJsonObject(entries)) return new Map(Object.entries(entries));
  } catch {
    // The message of JSON.parse may quote a secret.
  }
  return { where: WHERE, message: 'must be a JSON object with the sources by name' };
}

/** Strings and the characters that structure JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gsu;

/**
 * Finds the names that occur twice in an object or in an object directly inside of it, such as `a` or
 * `a.verify`. JSON.parse keeps the last of them without a word.
 *
 * @param json valid JSON
 */
function repeatedNames(json: string): readonly string[] {
  const repeated = new Set<string>();
  const outerNames = new Set<string>();
  const innerNames = new Set<string>();
  let depth = 0;
  let outer = '';
  let last = '';
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token !== ':') last = token;
    else if (depth === 1) {
      outer = JSON.parse(last) as string;
      if (outerNames.has(outer)) repeated.add(outer);
      outerNames.add(outer);
      innerNames.clear();
    } else if (depth === 2) {
      const inner = JSON.parse(last) as string;
      if (innerNames.has(inner)) repeated.add(`${outer}.${inner}`);
      innerNames.add(inner);
    }
  }
  return [...repeated];
}
