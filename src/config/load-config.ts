import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';
import { readSettings, type Environment, type SettingValues } from './read-settings.ts';
import { readSources } from './read-sources.ts';
import type { SettingName } from './settings.ts';
import { isStandardSecret, verification } from './verification.ts';

/**
 * Reads and checks the whole configuration.
 *
 * @param env the environment; `process.env` in the process, a literal in tests.
 * @param cwd what relative paths are relative to.
 * @throws PortariaError `misconfigured` whose `problems` name every mistake at
 *   once, each with its correction.
 */
export function loadConfig(env: Environment, cwd: string): Config {
  const { values, problems: unreadable, warnings } = readSettings(env);
  const problems = [...unreadable];
  const read = values as SettingValues;

  const { sources, notes } = readVerification(values, cwd, problems);
  const forward = readForward(values, problems);
  const api = readApi(env, values, problems);
  const ops = readOps(values, problems);
  const handlersFolder = readHandlersFolder(values, cwd, problems);

  if (problems.length > 0)
    throw new PortariaError('misconfigured', 'The configuration has mistakes', { problems });
  return {
    host: read.PORTARIA_HOST,
    port: read.PORTARIA_PORT,
    database: read.PORTARIA_DATABASE === ':memory:' ? ':memory:' : resolve(cwd, read.PORTARIA_DATABASE),
    sources,
    maxBodyBytes: read.PORTARIA_MAX_BODY,
    bodyTimeoutMs: read.PORTARIA_BODY_TIMEOUT_MS,
    onInvalid: read.PORTARIA_ON_INVALID,
    handlersFolder,
    concurrency: read.PORTARIA_CONCURRENCY,
    forward,
    api,
    ops,
    log: { level: read.PORTARIA_LOG_LEVEL, format: read.PORTARIA_LOG_FORMAT ?? null },
    shutdownGraceMs: read.PORTARIA_SHUTDOWN_GRACE_MS,
    warnings: [...warnings, ...notes],
  };
}

function readVerification(values: Partial<SettingValues>, cwd: string, problems: Problem[]) {
  const notes: string[] = [];
  const host = values.PORTARIA_HOST ?? '127.0.0.1';
  const messageIdHeader = values.PORTARIA_MESSAGE_ID_HEADER ?? 'webhook-id';
  const secrets = values.PORTARIA_SECRETS ?? [];
  const scheme = values.PORTARIA_VERIFY;
  const sources = new Map<string, VerifyOptions>();

  if (scheme === undefined && secrets.length > 0)
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: 'secrets are set but no scheme; set it to token, hmac or standard',
    });
  else if (scheme === undefined && !isLoopback(host))
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: `${host} can be reached from elsewhere; set it to token, hmac or standard with PORTARIA_SECRETS, or write none to accept anybody's webhooks`,
    });

  const { options, problems: found } = verification(
    { verify: scheme ?? 'none', secrets, header: values.PORTARIA_VERIFY_HEADER, messageIdHeader },
    { verify: 'PORTARIA_VERIFY', secrets: 'PORTARIA_SECRETS' },
  );
  problems.push(...found);
  if (options !== undefined) sources.set('default', options);

  if (values.PORTARIA_SOURCES !== undefined) {
    const further = readSources(values.PORTARIA_SOURCES, cwd, messageIdHeader);
    problems.push(...further.problems);
    for (const [name, entry] of further.sources) sources.set(name, entry);
  }
  if (!isLoopback(host))
    for (const [name, entry] of sources)
      if (entry.scheme === 'none')
        notes.push(`source ${name} is not verified: whoever reaches ${host} can post webhooks to it`);
  return { sources, notes };
}

function readForward(values: Partial<SettingValues>, problems: Problem[]): Config['forward'] {
  const secret = values.PORTARIA_FORWARD_SECRET;
  if (secret !== undefined && !isStandardSecret(secret))
    problems.push({
      where: 'PORTARIA_FORWARD_SECRET',
      message: 'must be base64, with or without whsec_ before it',
    });
  const url = values.PORTARIA_FORWARD_URL;
  if (url === undefined) return null;
  return { url, secret: secret ?? null, timeoutMs: values.PORTARIA_FORWARD_TIMEOUT_MS ?? 10_000 };
}

function readApi(env: Environment, values: Partial<SettingValues>, problems: Problem[]): Config['api'] {
  const { PORTARIA_API_URL: url, PORTARIA_API_KEY: key } = values;
  if (url !== undefined && key !== undefined) return { url, key };
  const set = (name: SettingName) => (env[name] ?? '').trim() !== '';
  const both = ['PORTARIA_API_URL', 'PORTARIA_API_KEY'] as const;
  for (const name of both)
    if (!set(name) && both.some(set))
      problems.push({ where: name, message: 'is missing; the address and the key are set together' });
  return null;
}

function readOps(values: Partial<SettingValues>, problems: Problem[]): Config['ops'] {
  const token = values.PORTARIA_OPS_TOKEN ?? null;
  const host =
    values.PORTARIA_OPS_HOST ?? (token === null ? '127.0.0.1' : (values.PORTARIA_HOST ?? '127.0.0.1'));
  const port = values.PORTARIA_OPS_PORT ?? 9090;
  if (token === null && !isLoopback(host))
    problems.push({
      where: 'PORTARIA_OPS_TOKEN',
      message: `the private port on ${host} can be reached from elsewhere; set a token, or PORTARIA_OPS_HOST=127.0.0.1`,
    });
  if (port !== 0 && port === values.PORTARIA_PORT)
    problems.push({
      where: 'PORTARIA_OPS_PORT',
      message: `${String(port)} is the public port; the private one must be another`,
    });
  return { host, port, token };
}

function readHandlersFolder(values: Partial<SettingValues>, cwd: string, problems: Problem[]): string | null {
  if (values.PORTARIA_HANDLERS === undefined) return null;
  const folder = resolve(cwd, values.PORTARIA_HANDLERS);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    problems.push({
      where: 'PORTARIA_HANDLERS',
      message: `${folder} is not a folder; make it, or unset this for the shipped handlers`,
    });
  return folder;
}
