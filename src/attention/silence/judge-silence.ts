/** Decides what a silence is, with what the provider's API shows. */
import { ageText } from '../../kernel/text/age.ts';
import type { OperatorProblem } from '../problem.ts';
import type { Silence } from './find-silence.ts';

/** What the provider's API shows of a time without webhooks. */
export type ProviderFinding =
  /** A record changed, and no webhook reported it. */
  | { readonly found: 'change'; readonly subject: string; readonly at: number }
  /**
   * `records` were read, and none has changed. `lookedAt` (milliseconds since 1970) is there when all of them were
   * compared.
   */
  | { readonly found: 'none'; readonly records: number; readonly lookedAt?: number }
  | { readonly found: 'unknown'; readonly reason: string };

/** Asks the provider whether records changed since a time. Never rejects. */
export type AskProvider = (
  question: {
    /** Null for every kind. */
    readonly kind: string | null;
    /** Milliseconds since 1970. */
    readonly since: number;
    readonly now: number;
  },
  signal?: AbortSignal,
) => Promise<ProviderFinding>;

/** A silence with its explanation: `quiet` is no problem, the other two are. */
export interface JudgedSilence {
  readonly cause: 'missed-webhooks' | 'quiet' | 'silence';
  readonly problem: OperatorProblem;
}

const CHECK_ADDRESS =
  'check that the provider still has this address and secret in its list of endpoints, and the proxy, the certificate and the name before this receiver';

/**
 * Judges a silence by what the API shows. Missed webhooks: records change, and their webhooks
 * do not arrive. Quiet: nothing has changed. Otherwise it may be either.
 *
 * @param finding null when there is no API to ask for this source
 */
export function judgeSilence(silence: Silence, finding: ProviderFinding | null, now: number): JudgedSilence {
  const { source, kind, lastReceivedAt, expected } = silence;
  const of = kind === null ? source : `${source}/${kind}`;
  const what = kind === null ? `source ${source}` : `kind ${kind} of source ${source}`;
  const last = `no event of ${what} since ${ageText(lastReceivedAt, now)}`;
  const usual = `usually ${String(Math.round(expected))} or more arrive in this time`;
  const problem = { of, since: lastReceivedAt };
  switch (finding?.found) {
    case 'change':
      return {
        cause: 'missed-webhooks',
        problem: {
          ...problem,
          problem: 'missed-webhooks',
          summary: `the provider's API shows a change of ${finding.subject} at ${ageText(finding.at, now)} that no webhook reported: ${last}`,
          remedy: `${CHECK_ADDRESS}; then ask the provider to send again what is missing since then`,
          facts: {
            ...{ about: 'missed-webhooks', source, kind, lastAt: lastReceivedAt },
            ...{ subject: finding.subject, changedAt: finding.at },
          },
        },
      };
    case 'none':
      return {
        cause: 'quiet',
        problem: {
          ...problem,
          problem: 'silence',
          summary: `${last}; ${usual}, but ${quietText(finding, now)}`,
          remedy: 'nothing: the provider has nothing to report',
        },
      };
    case 'unknown':
    case undefined: {
      const unasked = finding === null ? '' : `; the provider's API could not tell why: ${finding.reason}`;
      return {
        cause: 'silence',
        problem: {
          ...problem,
          problem: 'silence',
          summary: `${last}; ${usual}${unasked}`,
          remedy: `${CHECK_ADDRESS}; a holiday explains it, too`,
          facts: {
            ...{ about: 'silence', source, kind, lastAt: lastReceivedAt, expected },
            unasked: finding === null ? null : finding.reason,
          },
        },
      };
    }
  }
}

function quietText({ records, lookedAt }: Extract<ProviderFinding, { found: 'none' }>, now: number): string {
  return lookedAt === undefined
    ? `the provider's API shows no change since either (${String(records)} records)`
    : `nothing happened at the provider: none of its ${String(records)} records was missed, as of ${ageText(lookedAt, now)}`;
}
