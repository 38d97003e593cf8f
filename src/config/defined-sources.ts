/** Adds the sources of handlers files to those of the settings. */
import type { SourceContract } from '../contract/contract.ts';
import type { DefinedVerification } from '../contract/source-verification.ts';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import type { Config, ReadDefinedSource } from './config.ts';
import type { Found } from './found-mistakes.ts';
import type { Environment } from './read-settings.ts';
import { checkSource, readGiven, storing } from './source-settings.ts';
import { splitSecrets } from './text-file.ts';
import type { Given, SourceDefaults } from './verification.ts';

export function createReadDefinedSource(
  env: Environment,
  cwd: string,
  defaults: SourceDefaults,
): ReadDefinedSource {
  return (source, configured, found) => {
    const { name, origin, fields: { apiKeyFrom, ...fields } = {} } = source;
    const own: Partial<DefinedVerification> = (configured === undefined && source.verify) || {};
    const secrets = valuesOf(own.secretsFrom, origin, found);
    const problem = configured === undefined ? problemOfVerify(source, secrets, defaults.reachable) : null;
    if (problem !== null) found.problems.push(problem);
    const at = (field: string) =>
      `${origin}: source "${name}": ${['header', 'messageIdHeader'].includes(field) ? 'verify.' : ''}${field}`;
    const given = {
      ...{ isDefault: false, fields, at, secrets, key: valuesOf(apiKeyFrom, at('apiKeyFrom'), found) },
      verify: problem === null ? own.proof : undefined,
      messageIdHeader: own.messageIdHeader?.toLowerCase(),
      trustMessageId: own.trustMessageId,
    };
    return checkSource(given, defaults, found, configured);
  };

  function valuesOf(variable: string | undefined, origin: string, found: Found): Given {
    if (variable === undefined) return { values: [], where: origin };
    const [value, file] = [variable, `${variable}_FILE`].map((name) => env[name]?.trim() || undefined);
    const values = value === undefined ? undefined : splitSecrets(value, ',');
    return readGiven([variable, values], [`${variable}_FILE`, file], { at: (name) => name, cwd, found });
  }
}

/** What the form of a proof does not say: that it is there, and where its secrets are. */
function problemOfVerify(
  { name, origin, verify }: SourceContract,
  secrets: Given,
  reachable: string | null,
): Problem | null {
  if (verify === undefined) {
    const message = `source "${name}" has no verification: add verify to defineSource, or set PORTARIA_SOURCES={"${name}":{"verify":"hmac","secrets":["…"]}}`;
    return { where: origin, message };
  }
  const { proof, secretsFrom } = verify;
  const scheme = typeof proof === 'object' ? proof.scheme : proof;
  if (scheme === 'none') {
    if (reachable === null) return null;
    const message = `source "${name}" accepts anybody (scheme "none"), but other machines can reach ${reachable}: verify it`;
    return { where: origin, message };
  }
  if (secretsFrom === undefined) {
    if (typeof scheme === 'function') return null;
    const message = `source "${name}": verify.secretsFrom is missing: name the environment variable with the secrets`;
    return { where: origin, message };
  }
  if (secrets.values?.length !== 0) return null;
  return {
    where: secrets.where,
    message: `is not set: source "${name}" (${origin}) needs its secrets there`,
  };
}

/**
 * Adds defined sources to those of the configuration. An entry of `PORTARIA_SOURCES` with the same name replaces
 * what the definition says.
 *
 * @throws PortariaError `misconfigured`, with every problem
 */
export function withDefinedSources(config: Config, defined: readonly SourceContract[]): Config {
  if (defined.length === 0) return config;
  const sources = new Map(config.sources);
  const found: Found = { problems: [], warnings: [...config.warnings] };
  for (const source of defined) {
    const read = config.readDefinedSource(source, sources.get(source.name), found);
    if (read !== undefined) sources.set(source.name, storing(read, source.envelope.headers));
  }
  const { problems, warnings } = found;
  if (problems.length > 0)
    throw new PortariaError('misconfigured', 'The sources of the handlers folder have mistakes', {
      problems,
    });
  return { ...config, sources, warnings };
}
