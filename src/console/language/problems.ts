/** The words of the overview's problems, in each language. */
import { counting } from '../../pages/language/count.ts';
import type { RejectionReason } from '../../event/delivery.ts';

const { many } = counting('en');
const { many: muitos } = counting('pt-BR');

const reasons: Readonly<Record<RejectionReason, (count: number) => string>> = {
  malformed: (count) =>
    count === 1
      ? '1 webhook in quarantine is no envelope.'
      : `${String(count)} webhooks in quarantine are no envelopes.`,
  invalid: (count) =>
    count === 1
      ? '1 webhook in quarantine does not match its schema.'
      : `${String(count)} webhooks in quarantine do not match their schemas.`,
  conflict: (count) =>
    count === 1
      ? '1 webhook in quarantine has a message id that was used before.'
      : `${String(count)} webhooks in quarantine have message ids that were used before.`,
};

const english = {
  reasons,
  eachTime: (error: string): string => ` Each time: ${error}`,
  mostOften: (error: string, count: number, all: number): string =>
    ` Most often (${String(count)} of the last ${String(all)}): ${error}`,
  stuck: (subject: string, handler: string, since: string, failures: number): string =>
    `${subject} waits for ${handler}: its event came ${since}${failures === 0 ? '.' : `, with ${many(failures, 'failure')} since. The last:`}`,
  /** How many subjects keep failing, and how. */
  retrying: (
    subject: string,
    subjects: number,
    about: {
      readonly handler: string;
      readonly failures: number;
      readonly last: string;
      readonly error: string;
    },
  ): string =>
    `${subjects === 1 ? `${subject} waits` : `${many(subjects, 'subject')} wait`} for ${about.handler}: failed ${subjects === 1 ? '' : 'up to '}${many(about.failures, 'time')}, last ${about.last}, and will be tried again. The last: ${about.error}`,
  seen: (first: string, last: string): string => `First ${first}, last ${last}.`,
  lastFailure: (reason: string): string => ` Last failure: ${reason}`,
  storeFails:
    'The store cannot be written: the disk may be full or broken. Webhooks are refused until it can.',
};

const razoes: typeof reasons = {
  malformed: (count) =>
    count === 1
      ? '1 webhook em quarentena não é um envelope.'
      : `${String(count)} webhooks em quarentena não são envelopes.`,
  invalid: (count) =>
    count === 1
      ? '1 webhook em quarentena não corresponde ao esquema.'
      : `${String(count)} webhooks em quarentena não correspondem aos esquemas.`,
  conflict: (count) =>
    count === 1
      ? '1 webhook em quarentena tem um id de mensagem já usado.'
      : `${String(count)} webhooks em quarentena têm ids de mensagem já usados.`,
};

const portuguese: typeof english = {
  reasons: razoes,
  eachTime: (error) => ` Todas as vezes: ${error}`,
  mostOften: (error, count, all) => ` Na maioria (${String(count)} das últimas ${String(all)}): ${error}`,
  stuck: (subject, handler, since, failures) =>
    `${subject} espera por ${handler}: o evento chegou ${since}${failures === 0 ? '.' : `, com ${muitos(failures, 'falha')} desde então. A última:`}`,
  retrying: (subject, subjects, { handler, failures, last, error }) =>
    `${subjects === 1 ? `${subject} espera` : `${muitos(subjects, 'objeto')} esperam`} por ${handler}: ${subjects === 1 ? '' : 'até '}${muitos(failures, 'falha')}, a última ${last}; haverá nova tentativa. A última: ${error}`,
  seen: (first, last) => `A primeira ${first}, a última ${last}.`,
  lastFailure: (reason) => ` Última falha: ${reason}`,
  storeFails:
    'Não é possível gravar no banco: o disco pode estar cheio ou com defeito. Os webhooks são recusados até que seja.',
};

/** What the overview adds to its sentences about problems. */
export const problemWords = { en: english, 'pt-BR': portuguese };
