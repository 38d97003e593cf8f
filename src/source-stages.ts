/** What each source has before its webhooks are parsed: how they are proved and answered, and which of them are pings. */
import type { Config } from './config/config.ts';
import { endOfObservation } from './config/source-settings.ts';
import type { Contract } from './contract/contract.ts';
import type { Clock } from './kernel/time/clock.ts';
import { createFindPing } from './parse/find-ping.ts';
import { createSourceAnswers } from './receive/source-answers.ts';
import { createVerifier } from './verify/create-verifier.ts';
import { observing } from './verify/observe-source.ts';
import { sharedSecrets } from './verify/public-keys.ts';

/** By the name of the source; those without answers or pings of their own are left out. */
export function createSourceStages(
  config: Pick<Config, 'sources'>,
  { contract, clock }: { readonly contract: Contract; readonly clock: Clock },
) {
  const sources = [...config.sources];
  const verifiers = new Map(
    sources.map(([name, source]) => {
      const verify = createVerifier(source.verify, { clock });
      const until = endOfObservation(source);
      return [name, source.observe ? observing(verify, source.verify, { clock, until }) : verify] as const;
    }),
  );
  const answers = sources.map(([name, source]) => {
    const secrets = sharedSecrets(source.verify);
    const isBasic = source.verify.scheme === 'basic';
    return [name, createSourceAnswers(source, { secrets, isBasic, clock })] as const;
  });
  const pings = sources.map(([name, source]) => [name, createFindPing(contract, name, source)] as const);
  return { verifiers, answers: own(answers), pings: own(pings) };
}

function own<T>(bySource: readonly (readonly [name: string, made: T | null])[]): Map<string, T> {
  return new Map(bySource.flatMap(([name, made]) => (made === null ? [] : [[name, made] as const])));
}
