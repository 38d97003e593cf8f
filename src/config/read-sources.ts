/** Reads the sources of PORTARIA_SOURCES. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import { isJsonObject } from '../kernel/json/json.ts';
import { suggest } from '../kernel/text/suggest.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import { readSecretFile, readTextFile } from './text-file.ts';
import { checkVerification, sourceEntry } from './verification.ts';

const WHERE = 'PORTARIA_SOURCES';

/** Names appear in paths, rows and metric labels. */
export const sourceName = /^[a-z0-9][a-z0-9-]{0,62}$/;

export interface ReadSources {
  readonly sources: ReadonlyMap<string, VerifyOptions>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Reads `PORTARIA_SOURCES`: JSON, or the path of a JSON file.
 *
 * @param cwd base of relative paths, also of secret files
 * @param defaults message id header of entries without one; address of the port, if other machines can
 *   reach it
 */
export function readSources(
  setting: string,
  cwd: string,
  defaults: { readonly messageIdHeader: string; readonly reachable: string | null },
): ReadSources {
  const sources = new Map<string, VerifyOptions>();
  const json = readJson(setting, cwd);
  if (typeof json !== 'string') return { sources, problems: [json], warnings: [] };
  const entries = parseEntries(json);
  if (!(entries instanceof Map)) return { sources, problems: [entries], warnings: [] };

  const problems: Problem[] = repeatedNames(json).map((name) => ({
    where: `${WHERE}.${name}`,
    message: 'occurs twice; keep one of them',
  }));
  const warnings: string[] = [];
  for (const [name, entry] of entries) {
    const where = `${WHERE}.${name}`;
    if (!sourceName.test(name) || name === 'default') {
      problems.push({
        where,
        message: 'is not a valid name; use lowercase letters, digits and hyphens, and not `default`',
      });
      continue;
    }
    const read = sourceEntry.safeParse(entry);
    if (!read.success) {
      for (const issue of read.error.issues) problems.push(...problemsOf(issue, where));
      continue;
    }
    const given = secretsOf(read.data, cwd);
    if (given.mistake !== undefined) {
      problems.push({ where: `${where}.secretsFile`, message: given.mistake });
      continue;
    }
    const checked = checkVerification(
      {
        verify: read.data.verify,
        secrets: given.secrets,
        header: read.data.header,
        messageIdHeader: read.data.messageIdHeader ?? defaults.messageIdHeader,
        trustMessageId: read.data.trustMessageId,
      },
      {
        verify: `${where}.verify`,
        secrets: `${where}.${given.from}`,
        header: `${where}.header`,
        messageIdHeader: `${where}.messageIdHeader`,
      },
      defaults.reachable,
    );
    if (checked.options !== undefined) sources.set(name, checked.options);
    problems.push(...checked.problems);
    warnings.push(...checked.warnings);
  }
  return { sources, problems, warnings };
}

type GivenSecrets =
  | { readonly secrets: readonly string[]; readonly from: string; readonly mistake?: undefined }
  | { readonly mistake: string };

function secretsOf({ secrets, secretsFile }: z.output<typeof sourceEntry>, cwd: string): GivenSecrets {
  if (secretsFile === undefined) return { secrets: secrets ?? [], from: 'secrets' };
  if (secrets !== undefined) return { mistake: 'and secrets are both set; keep one of them' };
  const { lines, mistake } = readSecretFile(secretsFile, cwd);
  return lines === undefined ? { mistake } : { secrets: lines, from: 'secretsFile' };
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
