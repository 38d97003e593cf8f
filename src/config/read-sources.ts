import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import { suggest } from '../kernel/suggest.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import { sourceEntry, verification } from './verification.ts';

const WHERE = 'PORTARIA_SOURCES';

/** Names are part of paths, of rows and of metric labels. */
const sourceName = /^[a-z0-9][a-z0-9-]{0,62}$/;

export interface ReadSources {
  readonly sources: ReadonlyMap<string, VerifyOptions>;
  readonly problems: readonly Problem[];
}

/**
 * Reads `PORTARIA_SOURCES`: JSON text, or the path of a file that holds it.
 *
 * @param defaultMessageIdHeader for entries that name none.
 */
export function readSources(setting: string, cwd: string, defaultMessageIdHeader: string): ReadSources {
  const sources = new Map<string, VerifyOptions>();
  const text = readText(setting, cwd);
  if (typeof text !== 'string') return { sources, problems: [text] };
  const entries = parseEntries(text);
  if (!(entries instanceof Map)) return { sources, problems: [entries] };

  const problems: Problem[] = [];
  for (const [name, entry] of entries) {
    const where = `${WHERE}.${name}`;
    if (!sourceName.test(name) || name === 'default') {
      problems.push({
        where,
        message: 'a source is named by small letters, digits and hyphens, and not `default`',
      });
      continue;
    }
    const read = sourceEntry.safeParse(entry);
    if (!read.success) {
      for (const issue of read.error.issues) problems.push(...problemsOf(issue, where));
      continue;
    }
    const { options, problems: found } = verification(
      {
        ...read.data,
        header: read.data.header,
        messageIdHeader: read.data.messageIdHeader ?? defaultMessageIdHeader,
      },
      { verify: `${where}.verify`, secrets: `${where}.secrets` },
    );
    if (options !== undefined) sources.set(name, options);
    problems.push(...found);
  }
  return { sources, problems };
}

function problemsOf(issue: z.core.$ZodIssue, where: string): readonly Problem[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ where: [where, ...issue.path].join('.'), message: issue.message }];
  return issue.keys.map((key) => {
    const meant = suggest(key, Object.keys(sourceEntry.shape));
    const known = Object.keys(sourceEntry.shape).join(', ');
    const hint = meant === undefined ? `; known are ${known}` : `; did you mean ${meant}?`;
    return { where: `${where}.${key}`, message: `is no setting of a source${hint}` };
  });
}

function readText(setting: string, cwd: string): string | Problem {
  if (setting.startsWith('{')) return setting;
  try {
    return readFileSync(resolve(cwd, setting), 'utf8');
  } catch {
    return { where: WHERE, message: 'is neither JSON (which starts with {) nor a file that can be read' };
  }
}

function parseEntries(text: string): Map<string, unknown> | Problem {
  try {
    const entries = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    return new Map(Object.entries(entries));
  } catch {
    return { where: WHERE, message: 'must be a JSON object of sources by name' };
  }
}
