/** The words of the overview's problems, in each language. */
import { counting } from '../../pages/language/count.ts';
import type { RejectionReason } from '../../event/delivery.ts';

const { many } = counting('en');
const { many: muitos } = counting('pt-BR');

/** The addresses of pauses; a handler may be named so, too. */
const PAUSES = /^\/handlers(?:\/pauses\/|#pauses)/u;

/** Webhooks in quarantine with one problem. */
export interface HeldWebhooks {
  readonly reason: RejectionReason;
  readonly count: number;
  /** Subjects that they name. */
  readonly subjects: number;
  readonly kind: string | null;
  readonly first: string;
  readonly last: string;
  readonly arriving: boolean;
}

const english = {
  /** The problems of the quarantine that come most often. */
  held: ({ reason, count, subjects, kind, first, last, arriving }: HeldWebhooks): string => {
    const [what, each] = count === 1 ? ['webhook', 'has'] : ['webhooks', 'have'];
    const problems: Readonly<Record<RejectionReason, string>> = {
      malformed: `${count === 1 ? 'is' : 'are'} no JSON envelope`,
      invalid: `${count === 1 ? 'does' : 'do'} not match the contract`,
      conflict: `${each} a message id that was used before`,
    };
    const about = subjects === 0 ? '' : ` about ${many(subjects, 'subject')}`;
    return `${String(count)} ${what}${kind === null ? '' : ` of ${kind}`}${about} in quarantine: ${problems[reason]}. First ${first}, last ${last}${arriving ? ', still arriving' : ''}.`;
  },
  /** Webhooks to a path that does not exist. */
  mistyped: (path: string, count: number): string =>
    `${many(count, 'webhook')} went to ${path} within two hours, which does not exist here: they got 404, and nothing of them is stored.`,
  heldMore: 'The quarantine has further problems.',
  /** What a page offers, by its address. */
  action: (href: string): string => {
    const [, page = ''] = href.split(/[/?#]/u);
    const actions: Readonly<Record<string, string>> = {
      failures: 'Retry or discard',
      quarantine: 'Release or discard',
      handlers: PAUSES.test(href) ? 'Resume' : 'See the handler',
      subjects: 'See the subject',
      events: 'See the events',
      senders: 'See the senders',
    };
    return actions[page] ?? 'See details';
  },
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

const portuguese: typeof english = {
  held: ({ reason, count, subjects, kind, first, last, arriving }) => {
    const one = count === 1;
    const problems: Readonly<Record<RejectionReason, string>> = {
      malformed: one ? 'não é um envelope JSON' : 'não são envelopes JSON',
      invalid: `${one ? 'não corresponde' : 'não correspondem'} ao contrato`,
      conflict: `${one ? 'tem um' : 'têm'} id de mensagem já usado`,
    };
    const about = subjects === 0 ? '' : ` sobre ${muitos(subjects, 'objeto')}`;
    return `${muitos(count, 'webhook')}${kind === null ? '' : ` de ${kind}`}${about} em quarentena: ${problems[reason]}. O primeiro ${first}, o último ${last}${arriving ? ', e ainda chegam' : ''}.`;
  },
  mistyped: (path, count) =>
    `${muitos(count, 'webhook')} em duas horas para ${path}, que não existe aqui: a resposta foi 404, e nada deles é guardado.`,
  heldMore: 'A quarentena tem outros problemas.',
  action: (href) => {
    const [, page = ''] = href.split(/[/?#]/u);
    const actions: Readonly<Record<string, string>> = {
      failures: 'Repetir ou descartar',
      quarantine: 'Liberar ou descartar',
      handlers: PAUSES.test(href) ? 'Retomar' : 'Ver o handler',
      subjects: 'Ver o objeto',
      events: 'Ver os eventos',
      senders: 'Ver os remetentes',
    };
    return actions[page] ?? 'Ver detalhes';
  },
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
