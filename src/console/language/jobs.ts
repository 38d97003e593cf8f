/** The words of jobs and replays, in each language. */
import { jobEndings, type JobAction, type JobState } from '../../store/jobs.ts';
import { counting } from '../../pages/language/count.ts';

const { number: numberEn, many: en } = counting('en');
const { number: numberPt, many: pt } = counting('pt-BR');

const english = {
  jobs: {
    title: 'Jobs',
    lead: 'Plans that were started: retries, discards, releases and replays of many items.',
    none: 'No plan was started yet. Begin at Failures or Quarantine, or run events again here.',
    id: 'Job',
    action: 'Does',
    state: 'State',
    progress: 'Progress',
    started: 'Started',
    by: 'By',
    actions: { retry: 'retry', discard: 'discard', release: 'release', replay: 'replay' } satisfies Readonly<
      Record<JobAction, string>
    >,
    states: {
      running: 'running',
      stopped: 'stopped',
      cancelled: 'cancelled',
      finished: 'finished',
    } satisfies Readonly<Record<JobState, string>>,
    endings: jobEndings,
    heading: (action: JobAction, planned: number): string =>
      ({
        retry: `Retry of ${en(planned, 'delivery', 'deliveries')}`,
        discard: `Discard of ${en(planned, 'delivery', 'deliveries')}`,
        release: `Release of ${en(planned, 'quarantined webhook')}`,
        replay: `Replay with ${en(planned, 'call')}`,
      })[action],
    progressOf: (acted: number, planned: number): string => `${numberEn(acted)} of ${numberEn(planned)}`,
    stage: 'Stage',
    stageOf: (number: number, size: number | null): string =>
      `${String(number)}: ${size === null ? 'all that are left' : `up to ${String(size)}`}`,
    stageCounts: (acted: number, ended: number, failed: number): string =>
      `${numberEn(acted)} begun, ${numberEn(ended)} with a result, ${numberEn(failed)} failed`,
    acted: 'Acted on',
    waiting: 'Without a result',
    succeeded: 'Succeeded',
    failed: 'Failed',
    skipped: 'Skipped',
    leftAlone: 'Changed since the plan, or overtaken',
    pace: 'Pace',
    rateOf: (rate: number): string => `at most ${numberEn(rate)} in a second`,
    noRate: 'as fast as the handlers are',
    stopsAt: (percent: number): string => `stops when more than ${String(percent)} % of a stage fail`,
    neverStops: 'does not stop for failures',
    reason: 'Reason',
    selection: 'Selected by',
    all: 'everything',
    ended: 'Ended',
    failedItems: 'What failed',
    firstOf: (shown: number): string => `the first ${String(shown)}`,
    cancel: 'Cancel',
    resume: 'Resume',
    resumeWhy: 'Resuming begins with one item again when it runs in stages.',
    gone: (gone: number): string =>
      `${numberEn(gone)} of the planned items had changed since. The job does not act on them.`,
    watching: 'The numbers are read again every two seconds.',
    stopWatching: 'Stop reading',
    watch: 'Read the numbers again by themselves',
  },
  compose: {
    title: 'Run events again',
    lead: 'Choose events and handlers. The next page shows the plan; nothing starts yet.',
    handlers: 'Handlers',
    noHandler: 'Choose one handler at least.',
    kind: 'Kind',
    subject: 'Subject',
    source: 'Source',
    status: 'With a delivery that is',
    since: 'Since',
    ifNotSucceeded: 'Leave out what a handler has already handled',
    plan: 'Show the plan',
  },
};

const portuguese: typeof english = {
  jobs: {
    title: 'Execuções',
    lead: 'Planos iniciados: novas tentativas, descartes, liberações e reprocessamentos de muitos itens.',
    none: 'Nenhum plano foi iniciado. Comece em Falhas ou Quarentena, ou execute eventos de novo aqui.',
    id: 'Execução',
    action: 'Faz',
    state: 'Estado',
    progress: 'Progresso',
    started: 'Início',
    by: 'Por',
    actions: {
      retry: 'nova tentativa',
      discard: 'descarte',
      release: 'liberação',
      replay: 'reprocessamento',
    },
    states: { running: 'em curso', stopped: 'parada', cancelled: 'cancelada', finished: 'terminada' },
    endings: {
      cancelled: ({ by }) => `cancelada por ${by}`,
      failures: ({ failed, ended }) => `${numberPt(failed)} de ${numberPt(ended)} falharam`,
      'target-down': ({ reason }) => reason,
      'no-handler': ({ names }) => `este processo não tem o handler ${names}`,
    },
    heading: (action, planned) =>
      ({
        retry: `Nova tentativa de ${pt(planned, 'entrega', 'entregas')}`,
        discard: `Descarte de ${pt(planned, 'entrega', 'entregas')}`,
        release: `Liberação de ${pt(planned, 'webhook em quarentena', 'webhooks em quarentena')}`,
        replay: `Reprocessamento com ${pt(planned, 'chamada', 'chamadas')}`,
      })[action],
    progressOf: (acted, planned) => `${numberPt(acted)} de ${numberPt(planned)}`,
    stage: 'Etapa',
    stageOf: (number, size) =>
      `${String(number)}: ${size === null ? 'todos os restantes' : `até ${String(size)}`}`,
    stageCounts: (acted, ended, failed) =>
      `${numberPt(acted)} iniciados, ${numberPt(ended)} com resultado, ${numberPt(failed)} com falha`,
    acted: 'Iniciados',
    waiting: 'Sem resultado',
    succeeded: 'Com sucesso',
    failed: 'Com falha',
    skipped: 'Ignorados',
    leftAlone: 'Mudaram desde o plano, ou foram superadas',
    pace: 'Ritmo',
    rateOf: (rate) => `no máximo ${numberPt(rate)} por segundo`,
    noRate: 'tão rápido quanto os handlers',
    stopsAt: (percent) => `para quando mais de ${String(percent)} % de uma etapa falha`,
    neverStops: 'não para por falhas',
    reason: 'Motivo',
    selection: 'Seleção',
    all: 'tudo',
    ended: 'Fim',
    failedItems: 'O que falhou',
    firstOf: (shown) => `os primeiros ${String(shown)}`,
    cancel: 'Cancelar',
    resume: 'Retomar',
    resumeWhy: 'A retomada começa de novo com um item, se for em etapas.',
    gone: (gone) =>
      `${numberPt(gone)} dos itens planejados tinham mudado desde então. A execução não os altera.`,
    watching: 'Os números são lidos de novo a cada dois segundos.',
    stopWatching: 'Parar de ler',
    watch: 'Ler os números de novo sozinho',
  },
  compose: {
    title: 'Executar eventos de novo',
    lead: 'Escolha eventos e handlers. A próxima página mostra o plano; nada começa ainda.',
    handlers: 'Handlers',
    noHandler: 'Escolha ao menos um handler.',
    kind: 'Tipo',
    subject: 'Sujeito',
    source: 'Origem',
    status: 'Com uma entrega',
    since: 'Desde',
    ifNotSucceeded: 'Deixar de fora o que um handler já tratou',
    plan: 'Mostrar o plano',
  },
};

export const jobWords = { en: english, 'pt-BR': portuguese };
