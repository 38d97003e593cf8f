/** Reads the sources of PORTARIA_SOURCES. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import { isSourceName, type SourceFields } from '../contract/source-fields.ts';
import { isJsonObject, ownMember, type JsonValue } from '../kernel/json/json.ts';
import { suggest } from '../kernel/text/suggest.ts';
import type { Found } from './found-mistakes.ts';
import { readGiven } from './source-settings.ts';
import { readTextFile } from './text-file.ts';
import { sourceEntry, VERIFY, type GivenSource } from './verification.ts';

const WHERE = 'PORTARIA_SOURCES';

/**
 * Reads `PORTARIA_SOURCES`: JSON, or the path of a JSON file.
 *
 * @param cwd base of relative paths, also of secret files
 * @param isDefaultVerified whether `PORTARIA_VERIFY` says how `default` is verified, so that its entry must not
 */
export function readSources(
  setting: string,
  cwd: string,
  isDefaultVerified: boolean,
  found: Found,
): Map<string, GivenSource> {
  const sources = new Map<string, GivenSource>();
  for (const [name, entry] of parseEntries(readJson(setting, cwd, found), found)) {
    if (isSourceName(name)) sources.set(name, readEntry(name, entry, cwd, isDefaultVerified, found));
    else {
      const message = 'is not a valid name; use lowercase letters, digits and hyphens';
      found.problems.push({ where: `${WHERE}.${name}`, message });
    }
  }
  return sources;
}

type Entry = z.output<typeof sourceEntry>;

function readEntry(
  name: string,
  entry: unknown,
  cwd: string,
  isDefaultVerified: boolean,
  found: Found,
): GivenSource {
  const where = `${WHERE}.${name}`;
  const at = (field: string) => `${where}.${field}`;
  const isDefault = name === 'default';
  const read = sourceEntry.safeParse(entry);
  if (!read.success) {
    found.problems.push(...read.error.issues.flatMap((issue) => problemsOf(issue, where)));
    const unread = { values: undefined, where };
    const verify = ownMember(entry as JsonValue, 'verify');
    return { isDefault, verify, secrets: unread, key: unread, fields: {}, at };
  }
  found.problems.push(...problemsOfVerify(read.data, where, isDefault, isDefaultVerified));
  const { verify, header, messageIdHeader, trustMessageId, ...rest } = read.data;
  const { secrets, secretsFile, apiKey, apiKeyFile, ...fields } = rest;
  return {
    ...{ isDefault, verify, header, messageIdHeader, trustMessageId, at },
    fields: fields as SourceFields,
    secrets: readGiven(['secrets', secrets], ['secretsFile', secretsFile], { at, cwd, found }),
    key: readGiven(['apiKey', apiKey], ['apiKeyFile', apiKeyFile], { at, cwd, found }),
  };
}

/** `verify` is required, but `PORTARIA_VERIFY` may say how `default` is verified. */
function problemsOfVerify(
  entry: Entry,
  where: string,
  isDefault: boolean,
  isDefaultVerified: boolean,
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

function readJson(setting: string, cwd: string, { problems }: Found): string {
  if (setting.startsWith('{')) return setting;
  const { content, mistake } = readTextFile(resolve(cwd, setting));
  if (content === undefined) problems.push({ where: WHERE, message: `${NEITHER}: it ${mistake}` });
  return content ?? '{}';
}

function parseEntries(json: string, { problems }: Found): readonly (readonly [string, unknown])[] {
  try {
    const entries: unknown = JSON.parse(json);
    if (isJsonObject(entries)) {
      for (const name of repeatedNames(json))
        problems.push({ where: `${WHERE}.${name}`, message: 'occurs twice; keep one of them' });
      // A check by zod would drop the name __proto__.
      return Object.entries(entries);
    }
  } catch {
    // The message of JSON.parse may quote a secret.
  }
  problems.push({ where: WHERE, message: 'must be a JSON object with the sources by name' });
  return [];
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
