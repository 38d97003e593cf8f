/** The words of handlers and of their pauses. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { Rate } from '../../handle/load/rates.ts';
import { behindText } from '../../view/pause-view.ts';

export const handlerWords = {
  lead: ['The handlers and machines of this process.', 'Os handlers e as máquinas deste processo.'],
  name: ['Name', 'Nome'],
  kinds: ['Kinds', 'Tipos'],
  order: ['Order', 'Ordem'],
  orders: {
    subject: ['events of a subject one by one, in order', 'eventos de um objeto um a um, em ordem'],
    latest: ['only the newest event of a subject', 'só o evento mais novo de um objeto'],
    handler: ['all events one by one, in order', 'todos os eventos um a um, em ordem'],
    none: ['any', 'qualquer'],
  },
  running: ['Running', 'Em execução'],
  failing: ['Retrying', 'Tentando de novo'],
  runs: ['active', 'ativo'],
  waits: ['What waits longest', 'O que aguarda há mais tempo'],
  noWaits: ['Nothing waits.', 'Nada aguarda.'],
  failures: ['Failures by error', 'Falhas por erro'],
  periods: [
    ['Last hour', 'Last 24 hours'],
    ['Última hora', 'Últimas 24 horas'],
  ],
  atMost: (count: number) => [`up to ${String(count)} for each delivery`, `até ${String(count)} por entrega`],
  rate: ['Limit of calls', 'Limite de chamadas'],
  rateOf: ({ limit, per, burst, key }: Rate) => [
    `up to ${String(limit)} per ${per}${burst > 1 ? `, ${String(burst)} at once` : ''}${key === undefined ? '' : ', for each key'}`,
    `até ${String(limit)} por ${{ second: 'segundo', minute: 'minuto', hour: 'hora' }[per]}${burst > 1 ? `, ${String(burst)} de uma vez` : ''}${key === undefined ? '' : ', para cada chave'}`,
  ],
  noRate: ['no limit of its own', 'sem limite próprio'],
  transaction: ['Transaction', 'Transação'],
  once: ['yes: each event is written exactly once', 'sim: cada evento é gravado exatamente uma vez'],
  breaker: ['Breaker', 'Disjuntor'],
  /** For how long, empty where nobody knows it yet, and how long until the next try, which null runs now. */
  breakerOpen: (open: string, probe: string | null) => [
    `Its breaker ${open ? `has been open for ${open}` : 'is open'}. ${probe === null ? 'One delivery tries whether it works again.' : `The next try is in ${probe}.`}`,
    `O disjuntor está aberto${open && ` há ${open}`}. ${probe === null ? 'Uma entrega verifica se voltou a funcionar.' : `A próxima tentativa é em ${probe}.`}`,
  ],
  rateWaits: (count: number) => [
    `${en.many(count, 'subject')} ${count === 1 ? 'waits' : 'wait'} for its limit of calls, the first goes on`,
    `${pt.many(count, 'objeto aguarda', 'objetos aguardam')} o limite de chamadas, o primeiro continua`,
  ],
  rateClosed: ['its target has asked for a pause, which ends', 'o destino pediu uma pausa, que termina'],
} satisfies Pairs;

/** Who acts: a name that Portaria gives, in words. */
export const visitorName = (name: string): Pair => {
  const own: Readonly<Record<string, Pair>> = {
    loopback: ['a local user', 'um usuário local'],
    token: ['a user with the full token', 'um usuário com o token completo'],
    'view token': ['a user with the view token', 'um usuário com o token de leitura'],
  };
  return own[name] ?? [name, name];
};

export const pauseWords = {
  title: ['Paused, or behind a failed delivery', 'Em pausa, ou atrás de uma entrega que falhou'],
  nothing: ['Nothing is paused.', 'Nada está em pausa.'],
  ends: ['Ends', 'Termina'],
  untilResumed: ['when it is resumed', 'quando for retomado'],
  untilRetried: ['when that is retried or discarded', 'quando ela for tentada de novo ou descartada'],
  failed: (delivery: string) => [behindText(delivery), `aguarda atrás da entrega ${delivery}, que falhou`],
  notTaken: ['It takes effect in a moment.', 'Começa a valer em instantes.'],
  pause: ['Pause…', 'Pausar…'],
  confirm: ['Pause', 'Pausar'],
  resume: ['Resume', 'Retomar'],
  resumePlan: ['Resume…', 'Retomar…'],
  waitingOf: (waiting: string, tried: string) => [
    `${waiting} waiting${tried}`,
    `${waiting} aguardando${tried}`,
  ],
  triedOf: (count: number) => [
    count === 0 ? '' : `, ${en.number(count)} of them tried before`,
    count === 0 ? '' : `, ${pt.many(count, 'já tentada', 'já tentadas')}`,
  ],
  triedAgain: (count: number) => [
    `${en.many(count, 'delivery has failed before and is', 'deliveries have failed before and are')} tried again.`,
    `${pt.many(count, 'entrega já falhou e é tentada de novo', 'entregas já falharam e são tentadas de novo')}.`,
  ],
  resumed: [
    'Resumed: what waited for this pause runs now.',
    'Retomada: o que esperava por esta pausa é executado agora.',
  ],
  resumes: ['What a resume starts', 'O que começa ao retomar'],
  passes: ['What runs without the failed delivery', 'O que é executado sem a entrega que falhou'],
  stays: (delivery: string) => [
    `${delivery} stays failed, and newer events of the subject run without it.`,
    `${delivery} continua como falha, e eventos mais novos do objeto são executados sem ela.`,
  ],
  starts: ['Starts', 'Começam'],
  startsOf: (deliveries: number, subjects: number, isPart: boolean) => [
    `${isPart ? 'at least ' : ''}${en.many(deliveries, 'delivery', 'deliveries')} of ${en.many(subjects, 'subject')}`,
    `${isPart ? 'pelo menos ' : ''}${pt.many(deliveries, 'entrega')} de ${pt.many(subjects, 'objeto')}`,
  ],
  startsNothing: ['nothing now: nothing waits', 'nada agora: nada aguarda'],
  stay: ['Go on waiting', 'Continuam aguardando'],
  kept: (count: number) => [
    `${en.many(count, 'delivery', 'deliveries')}: for another pause, or an open breaker`,
    `${pt.many(count, 'entrega')}: por outra pausa, ou por um disjuntor aberto`,
  ],
  oldest: ['Oldest event', 'Evento mais antigo'],
  first: ['The first', 'Os primeiros'],
  keeps: [
    'Those that gave up stay under Failures. The events of a subject run in order.',
    'As que esgotaram as tentativas continuam em Falhas. Os eventos de um objeto são executados em ordem.',
  ],
  pass: ['Go on without it', 'Seguir sem ela'],
  passPlan: ['Go on without it…', 'Seguir sem ela…'],
  retry: (delivery: string) => [`Retry ${delivery}…`, `Tentar de novo ${delivery}…`],
  discard: (delivery: string) => [`Discard ${delivery}…`, `Descartar ${delivery}…`],
  pauseSource: ['Pause a source…', 'Pausar uma origem…'],
  pauseLane: ['Pause this subject for a handler…', 'Pausar este objeto para um handler…'],
  reason: ['Reason (your colleagues will see it)', 'Motivo (seus colegas o verão)'],
  periods: {
    '': ['it is resumed', 'ser retomado'],
    '1h': ['1 hour', '1 hora'],
    '4h': ['4 hours', '4 horas'],
    '1d': ['1 day', '1 dia'],
    '7d': ['7 days', '7 dias'],
  },
  running: ['What runs now goes on to its end.', 'O que está em execução vai até o fim.'],
  explain: {
    handler: [
      'Deliveries to this handler, of ALL customers, wait until you resume it. None is lost.',
      'As entregas a este handler, de TODOS os clientes, aguardam até você retomar. Nenhuma se perde.',
    ],
    source: [
      'Webhooks of the source are accepted; no handler runs for them until you resume. None is lost.',
      'Os webhooks da origem são aceitos; nenhum handler os processa até você retomar. Nenhum se perde.',
    ],
    subject: [
      'Deliveries of this subject to the handler wait until you resume. None is lost.',
      'As entregas deste objeto ao handler aguardam até você retomar. Nenhuma se perde.',
    ],
  },
  scope: {
    handler: ['handler', 'handler'],
    source: ['source', 'origem'],
    subject: ['subject', 'objeto'],
  },
  summary: (scope: string, by: string, since: string, reason: string) => [
    `${scope} is paused, by ${by} ${since}: ${reason}`,
    `${scope} em pausa ${since}, por ${by}: ${reason}`,
  ],
  /** A lane behind a failed delivery. Where nobody counts the events that wait, `waiting` is undefined. */
  behind: ({
    handler,
    subject,
    delivery,
    time,
    waiting,
  }: Readonly<Record<'handler' | 'subject' | 'delivery' | 'time', string>> & {
    waiting: number | undefined;
  }) => [
    `${handler} has had nothing of ${subject} for ${time}: ${waiting === undefined ? 'its events wait' : `${en.many(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'}`} for the failed delivery ${delivery}.`,
    `${handler} não recebe nada de ${subject} há ${time}: ${waiting === undefined ? 'os eventos aguardam' : `${pt.many(waiting, 'evento')} ${waiting === 1 ? 'aguarda' : 'aguardam'}`} a entrega ${delivery}, que falhou.`,
  ],
  lanes: (count: number, handler: string) => [
    `${en.number(count)} subjects are paused for ${handler}.`,
    `${pt.number(count)} objetos estão em pausa para ${handler}.`,
  ],
  behindMany: (count: number, handler: string) => [
    `${en.number(count)} subjects wait, each behind a failed delivery of ${handler}.`,
    `${pt.number(count)} objetos aguardam, cada um atrás de uma entrega de ${handler} que falhou.`,
  ],
} satisfies Pairs;
