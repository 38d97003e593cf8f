/** The words of pauses, in each language. */
import { counting } from '../../pages/language/count.ts';
import { behindText } from '../../view/pause-view.ts';

const { number, many } = counting('en');
const { number: numero, many: muitos } = counting('pt-BR');

const english = {
  title: 'Paused, or behind a failed delivery',
  nothing: 'Nothing is paused.',
  ends: 'Ends',
  untilResumed: 'when it is resumed',
  untilRetried: 'when that is retried or discarded',
  failed: behindText,
  waiting: 'Waiting',
  atLeast: (count: string): string => `${count} or more`,
  notTaken: 'The running process has not taken note yet.',
  pause: 'Pause…',
  confirm: 'Pause',
  resume: 'Resume',
  resumePlan: 'Resume…',
  resumes: 'What a resume starts',
  passes: 'What runs past the failed delivery',
  stays: (delivery: string): string =>
    `${delivery} stays failed, and newer events of the subject run past it.`,
  starts: 'Starts',
  startsOf: (deliveries: number, subjects: number, isPart: boolean): string =>
    `${isPart ? 'at least ' : ''}${many(deliveries, 'delivery', 'deliveries')} of ${many(subjects, 'subject')}`,
  startsNothing: 'nothing now: nothing waits',
  stay: 'Go on waiting',
  kept: (count: number): string =>
    `${many(count, 'delivery', 'deliveries')}: for another pause, or an open breaker`,
  oldest: 'Oldest event',
  first: 'The first',
  keeps: (failed: string | null, waiting: number): string =>
    failed === null
      ? 'What has failed is not run again. The events of a subject run in their order.'
      : `${failed} is not run.${waiting === 0 ? '' : ` The ${many(waiting, 'newer event')} ${waiting === 1 ? 'runs' : 'run in order'}.`}`,
  pass: 'Run past it',
  retry: (delivery: string): string => `Retry ${delivery}…`,
  discard: (delivery: string): string => `Discard ${delivery}…`,
  pauseSource: 'Pause a source…',
  pauseLane: 'Pause this subject for a handler…',
  reason: 'Why, for those who wonder why events wait',
  periods: { '': 'it is resumed', '1h': '1 hour', '4h': '4 hours', '1d': '1 day', '7d': '7 days' },
  explain: 'What runs now finishes, and nothing new starts. Webhooks are accepted, and wait.',
  explainSource: 'Webhooks of the source are accepted; no handler runs for them until it is resumed.',
  scope: { handler: 'handler', source: 'source', subject: 'subject' },
  summary: (scope: string, by: string, since: string, reason: string): string =>
    `${scope} is paused, by ${by} ${since}: ${reason}`,
  /** A lane behind a failed delivery. Where nobody counts the events that wait, `waiting` is undefined. */
  behind: (
    lane: Readonly<Record<'handler' | 'subject' | 'delivery' | 'time', string>> & {
      waiting: number | undefined;
    },
  ): string =>
    `${lane.handler} has had nothing of ${lane.subject} for ${lane.time}: ${lane.waiting === undefined ? 'its events wait' : `${many(lane.waiting, 'event')} ${lane.waiting === 1 ? 'waits' : 'wait'}`} for the failed delivery ${lane.delivery}.`,
  more: (count: number): string => `${String(count)} more: portaria handlers pauses`,
  lanes: (count: number, handler: string): string =>
    `${number(count)} lanes of ${handler} are paused, or wait behind failed deliveries.`,
};

const failed = (delivery: string): string => `aguarda atrás da entrega ${delivery}, que falhou`;

const portuguese: typeof english = {
  title: 'Em pausa, ou atrás de uma entrega que falhou',
  nothing: 'Nada está em pausa.',
  ends: 'Termina',
  untilResumed: 'quando for retomado',
  untilRetried: 'quando ela for repetida ou descartada',
  failed,
  waiting: 'Esperando',
  atLeast: (count) => `${count} ou mais`,
  notTaken: 'O processo em execução ainda não tomou conhecimento.',
  pause: 'Pausar…',
  confirm: 'Pausar',
  resume: 'Retomar',
  resumePlan: 'Retomar…',
  resumes: 'O que começa ao retomar',
  passes: 'O que passa à frente da entrega que falhou',
  stays: (delivery) =>
    `${delivery} continua como falha, e eventos mais novos do objeto passam à frente dela.`,
  starts: 'Começam',
  startsOf: (deliveries, subjects, isPart) =>
    `${isPart ? 'pelo menos ' : ''}${muitos(deliveries, 'entrega')} de ${muitos(subjects, 'objeto')}`,
  startsNothing: 'nada agora: nada aguarda',
  stay: 'Continuam aguardando',
  kept: (count) => `${muitos(count, 'entrega')}: por outra pausa, ou por um disjuntor aberto`,
  oldest: 'Evento mais antigo',
  first: 'Os primeiros',
  keeps: (delivery, waiting) => {
    if (delivery === null)
      return 'O que falhou não é repetido. Os eventos de um objeto são executados em ordem.';
    const newer =
      waiting === 1
        ? ' O evento mais novo é executado.'
        : ` Os ${numero(waiting)} eventos mais novos são executados em ordem.`;
    return `${delivery} não é executada.${waiting === 0 ? '' : newer}`;
  },
  pass: 'Passar à frente',
  retry: (delivery) => `Repetir ${delivery}…`,
  discard: (delivery) => `Descartar ${delivery}…`,
  pauseSource: 'Pausar uma origem…',
  pauseLane: 'Pausar este objeto para um handler…',
  reason: 'Por quê, para quem quiser saber por que os eventos esperam',
  periods: { '': 'ser retomado', '1h': '1 hora', '4h': '4 horas', '1d': '1 dia', '7d': '7 dias' },
  explain: 'O que está em execução termina, e nada novo começa. Os webhooks são aceitos, e aguardam.',
  explainSource: 'Os webhooks da origem são aceitos; nenhum handler os processa até ela ser retomada.',
  scope: { handler: 'handler', source: 'origem', subject: 'objeto' },
  summary: (scope, by, since, reason) => `${scope} em pausa, por ${by} ${since}: ${reason}`,
  behind: ({ handler, subject, time, waiting, delivery }) =>
    `${handler} não recebe nada de ${subject} há ${time}: ${waiting === undefined ? 'os eventos aguardam' : `${muitos(waiting, 'evento')} ${waiting === 1 ? 'aguarda' : 'aguardam'}`} a entrega ${delivery}, que falhou.`,
  more: (count) => `Mais ${String(count)}: portaria handlers pauses`,
  lanes: (count, handler) =>
    `${numero(count)} filas de ${handler} estão em pausa, ou aguardam atrás de entregas que falharam.`,
};

/** The words about pauses, on the pages of handlers and subjects and in the overview. */
export const pauseWords = { en: english, 'pt-BR': portuguese };
