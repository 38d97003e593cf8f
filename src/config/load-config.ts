import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';
import { readSettings, type Environment, type ReadSettings, type SettingValues } from './read-settings.ts';
import { readSources } from './read-sources.ts';
import { isPlaceholder, judgeStandard, judgeText, type SecretJudgement } from './secret-strength.ts';
import type { SettingName } from './settings.ts';
import { verification } from './verification.ts';

/**
 * Reads and checks the whole configuration.
 *
 * @param env the environment; `process.env` in the process, a literal in tests.
 * @param cwd what relative paths are relative to.
 * @throws PortariaError `misconfigured` whose `problems` name every mistake at
 *   once, each with its correction.
 */
export function loadConfig(env: Environment, cwd: string): Config {
  const settings = readSettings(env, cwd);
  const read = settings.values as SettingValues;
  const found: Found = { problems: [...settings.problems], warnings: [...settings.warnings] };

  const sources = readVerification(settings, cwd, found);
  const forward = readForward(settings, found);
  const api = readApi(settings, found);
  const ops = readOps(settings, found);
  const handlersFolder = readHandlersFolder(settings.values, cwd, found.problems);

  const { problems, warnings } = found;
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
    maxQuarantineBytes: read.PORTARIA_MAX_QUARANTINE_BYTES,
    handlersFolder,
    concurrency: read.PORTARIA_CONCURRENCY,
    forward,
    api,
    ops,
    log: { level: read.PORTARIA_LOG_LEVEL, format: read.PORTARIA_LOG_FORMAT ?? null },
    shutdownGraceMs: read.PORTARIA_SHUTDOWN_GRACE_MS,
    warnings,
  };
}

/** What is wrong, and what is allowed but worth a word. */
interface Found {
  readonly problems: Problem[];
  readonly warnings: string[];
}

/** The address, where others can reach it. */
function reachable(host: string | undefined): string | null {
  return host === undefined || isLoopback(host) ? null : host;
}

function readVerification(
  { values, isSet, origin }: ReadSettings,
  cwd: string,
  { problems, warnings }: Found,
): Config['sources'] {
  const open = reachable(values.PORTARIA_HOST);
  const messageIdHeader = values.PORTARIA_MESSAGE_ID_HEADER ?? 'webhook-id';
  const secrets = values.PORTARIA_SECRETS ?? [];
  const scheme = values.PORTARIA_VERIFY;
  const sources = new Map<string, VerifyOptions>();

  if (scheme === undefined && secrets.length > 0)
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: 'secrets are set but no scheme; set it to token, hmac or standard',
    });
  else if (scheme === undefined && open !== null)
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: `${open} can be reached from elsewhere; set it to token, hmac or standard with PORTARIA_SECRETS, or write none to accept anybody's webhooks`,
    });

  // Secrets that could not be read are a problem already.
  if (values.PORTARIA_SECRETS !== undefined || !isSet('PORTARIA_SECRETS')) {
    const checked = verification(
      {
        verify: scheme ?? 'none',
        secrets,
        header: values.PORTARIA_VERIFY_HEADER,
        messageIdHeader,
        trustMessageId: values.PORTARIA_TRUST_MESSAGE_ID ?? false,
      },
      { verify: 'PORTARIA_VERIFY', secrets: origin('PORTARIA_SECRETS') },
      open,
    );
    problems.push(...checked.problems);
    warnings.push(...checked.warnings);
    if (checked.options !== undefined) sources.set('default', checked.options);
  }

  if (values.PORTARIA_SOURCES !== undefined) {
    const further = readSources(values.PORTARIA_SOURCES, cwd, { messageIdHeader, reachable: open });
    problems.push(...further.problems);
    warnings.push(...further.warnings);
    for (const [name, entry] of further.sources) sources.set(name, entry);
  }
  if (open !== null)
    for (const [name, entry] of sources)
      if (entry.scheme === 'none' && entry.trustMessageId === true)
        warnings.push(
          `source ${name} is not verified and its message ids are trusted: whoever reaches ${open} can have its events taken for repeats`,
        );
      else if (entry.scheme === 'none')
        warnings.push(`source ${name} is not verified: whoever reaches ${open} can post webhooks to it`);
  return sources;
}

function readForward(settings: ReadSettings, found: Found): Config['forward'] {
  const { values } = settings;
  const { PORTARIA_FORWARD_SECRET: secret, PORTARIA_FORWARD_URL: url } = values;
  if (secret !== undefined) {
    const target = url === undefined ? undefined : new URL(url).hostname;
    const open = reachable(values.PORTARIA_HOST) ?? reachable(target);
    note('PORTARIA_FORWARD_SECRET', judgeStandard(secret, open), settings, found);
  }
  if (url === undefined) return null;
  return { url, secret: secret ?? null, timeoutMs: values.PORTARIA_FORWARD_TIMEOUT_MS ?? 10_000 };
}

function readApi({ values, isSet, origin }: ReadSettings, { problems }: Found): Config['api'] {
  const { PORTARIA_API_URL: url, PORTARIA_API_KEY: key } = values;
  // How long it is, is the provider's choice.
  if (key !== undefined && isPlaceholder(key))
    problems.push({
      where: origin('PORTARIA_API_KEY'),
      message: 'is a placeholder; replace it with the key that the provider has issued',
    });
  if (url !== undefined && key !== undefined) return { url, key };
  const both = ['PORTARIA_API_URL', 'PORTARIA_API_KEY'] as const;
  for (const name of both)
    if (!isSet(name) && both.some(isSet))
      problems.push({ where: name, message: 'is missing; the address and the key are set together' });
  return null;
}

function readOps(settings: ReadSettings, found: Found): Config['ops'] {
  const { values, isSet } = settings;
  const { PORTARIA_OPS_TOKEN: token = null, PORTARIA_OPS_HOST: host = '127.0.0.1' } = values;
  const port = values.PORTARIA_OPS_PORT ?? 9090;
  const open = reachable(host);
  if (token !== null) note('PORTARIA_OPS_TOKEN', judgeText(token, open), settings, found);
  else if (open !== null && !isSet('PORTARIA_OPS_TOKEN'))
    found.problems.push({
      where: 'PORTARIA_OPS_TOKEN',
      message: `the private port on ${open} can be reached from elsewhere; set a token, or PORTARIA_OPS_HOST=127.0.0.1`,
    });
  if (port !== 0 && port === values.PORTARIA_PORT)
    found.problems.push({
      where: 'PORTARIA_OPS_PORT',
      message: `${String(port)} is the public port; the private one must be another`,
    });
  return { host, port, token };
}

function note(
  name: SettingName,
  { refusal, warning }: SecretJudgement,
  { origin }: ReadSettings,
  { problems, warnings }: Found,
): void {
  if (refusal !== undefined) problems.push({ where: origin(name), message: refusal });
  if (warning !== undefined) warnings.push(`${origin(name)} ${warning}`);
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
