/** The words of jobs and replays, in each language. */
import { jobEndings, type JobAction, type JobState } from '../../store/jobs.ts';
import { counting } from '../../pages/language/count.ts';
import type { ItemResult, JobItemView } from '../../view/job-item-view.ts';

const { number: numberEn, many: en } = counting('en');
const { number: numberPt, many: pt } = counting('pt-BR');

const english = {
  jobs: {
    lead: 'Retries, discards, releases, repairs and replays of many items: each was a plan that somebody started.',
    none: 'No plan was started yet. Begin at Failures or Quarantine, or run events again here.',
    id: 'Job',
    action: 'Does',
    progress: 'Progress',
    started: 'Started',
    actions: {
      retry: 'retry',
      discard: 'discard',
      release: 'release',
      replay: 'replay',
      repair: 'repair',
    } satisfies Readonly<Record<JobAction, string>>,
    states: {
      running: 'running',
      stopped: 'stopped',
      cancelled: 'cancelled',
      finished: 'finished',
      incomplete: 'finished, with failures',
      idle: 'finished, nothing changed',
    } satisfies Readonly<Record<JobState | 'incomplete' | 'idle', string>>,
    endings: jobEndings,
    heading: (action: JobAction, planned: number): string =>
      ({
        retry: `Retry of ${en(planned, 'delivery', 'deliveries')}`,
        discard: `Discard of ${en(planned, 'delivery', 'deliveries')}`,
        release: `Release of ${en(planned, 'quarantined webhook')}`,
        replay: `Replay of ${en(planned, 'delivery', 'deliveries')}`,
        repair: `Repair of ${en(planned, 'subject')}`,
      })[action],
    progressOf: (acted: number, planned: number): string => `${numberEn(acted)} of ${numberEn(planned)}`,
    stage: 'Stage',
    stageOf: (number: number, size: number | null): string =>
      `${String(number)}: ${size === null ? 'all that are left' : `up to ${String(size)}`}`,
    acted: 'Acted on',
    failedOf: (failed: number): string => `${numberEn(failed)} failed`,
    planned: 'Planned',
    results: {
      succeeded: 'Succeeded',
      failed: 'Failed',
      left_alone: 'Needed it no longer',
      skipped: 'Skipped',
      waiting: 'Without a result',
      not_begun: 'Not begun',
    } satisfies Readonly<Record<ItemResult, string>>,
    notReleased: 'Not released',
    notRun: 'Not run',
    overtaken: 'Not run: a newer event was already handled',
    discarded: 'Discarded',
    why: {
      succeeded: 'Had succeeded before the job came to it:',
      discarded: 'Was discarded or skipped:',
      retrying: 'Is being retried already',
      'failed-again': 'Has failed again since the plan:',
      overtaken: 'Overtaken: its handler has succeeded with a later event',
      released: 'Was released before',
      invalid: 'Does not match the contract yet',
      gone: 'Is not stored any more',
    } satisfies Readonly<Record<NonNullable<JobItemView['why']>, string>>,
    later: {
      succeeded: 'Succeeded later:',
      skipped: 'Discarded or skipped later:',
      pending: 'Will be tried again',
      running: 'Is running again',
    },
    unnamed: (items: number): string =>
      `${en(items, 'item')} of a job too large to name each: changed after the plan, or overtaken.`,
    changed: (items: number): string =>
      `${numberEn(items)} changed after the plan, and ${items === 1 ? 'was' : 'were'} not run.`,
    byStage: 'Results by stage',
    pace: 'Pace',
    rateOf: (rate: number): string => `at most ${numberEn(rate)} in a second`,
    noRate: 'as fast as the handlers are',
    stopsAt: (percent: number): string => `stops when more than ${String(percent)} % of a stage fail`,
    neverStops: 'does not stop for failures',
    selection: 'Selected by',
    all: 'everything',
    ended: 'Ended',
    cancel: 'Stop the job',
    resume: 'Resume',
    resumeWhy: (failures: boolean): string =>
      `${failures ? 'It stopped by itself, and did nothing to the others. Read the errors, repair the cause, then resume. ' : ''}Resuming begins with one item again when it runs in stages.`,
    stopWatching: 'Stop updating',
    watch: 'Update by itself',
  },
  compose: {
    title: 'Run events again',
    lead: 'Choose events and handlers. The next page shows the plan; nothing starts yet.',
    noHandler: 'Choose one handler at least.',
    status: 'With a delivery that is',
    handled: 'What a handler has handled already',
    leaveHandled: 'Leave it out',
    runHandled: 'Run it again, too: the handler gets it twice',
  },
};

const portuguese: typeof english = {
  jobs: {
    lead: 'Novas tentativas, descartes, liberações, reparos e reprocessamentos de muitos itens: cada um foi um plano que alguém iniciou.',
    none: 'Nenhum plano foi iniciado. Comece em Falhas ou Quarentena, ou execute eventos de novo aqui.',
    id: 'Execução',
    action: 'Faz',
    progress: 'Progresso',
    started: 'Início',
    actions: {
      retry: 'nova tentativa',
      discard: 'descarte',
      release: 'liberação',
      replay: 'reprocessamento',
      repair: 'reparo',
    },
    states: {
      ...{ running: 'em curso', stopped: 'parada', cancelled: 'cancelada', finished: 'terminada' },
      incomplete: 'terminada, com falhas',
      idle: 'terminada, nada mudou',
    },
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
        replay: `Reprocessamento de ${pt(planned, 'entrega', 'entregas')}`,
        repair: `Reparo de ${pt(planned, 'objeto', 'objetos')}`,
      })[action],
    progressOf: (acted, planned) => `${numberPt(acted)} de ${numberPt(planned)}`,
    stage: 'Etapa',
    stageOf: (number, size) =>
      `${String(number)}: ${size === null ? 'todos os restantes' : `até ${String(size)}`}`,
    acted: 'Iniciados',
    failedOf: (failed) => `${numberPt(failed)} com falha`,
    planned: 'Planejados',
    results: {
      succeeded: 'Com sucesso',
      failed: 'Com falha',
      left_alone: 'Não precisavam mais',
      skipped: 'Ignorados',
      waiting: 'Sem resultado',
      not_begun: 'Não iniciados',
    },
    notReleased: 'Não liberados',
    notRun: 'Não executadas',
    overtaken: 'Não executadas: um evento mais novo já foi tratado',
    discarded: 'Descartadas',
    why: {
      succeeded: 'Já tinha tido sucesso antes:',
      discarded: 'Foi descartada ou ignorada:',
      retrying: 'Já está em nova tentativa',
      'failed-again': 'Falhou de novo desde o plano:',
      overtaken: 'Superada: o handler já teve sucesso com um evento posterior',
      released: 'Já tinha sido liberado',
      invalid: 'Ainda não corresponde ao contrato',
      gone: 'Não está mais guardado',
    },
    later: {
      succeeded: 'Teve sucesso depois:',
      skipped: 'Descartada ou ignorada depois:',
      pending: 'Será tentada de novo',
      running: 'Em execução de novo',
    },
    unnamed: (items) =>
      `${pt(items, 'item', 'itens')} de uma execução grande demais para nomear cada um: mudaram depois do plano ou foram superados.`,
    changed: (items) =>
      `${pt(items, 'mudou depois do plano e não foi executado', 'mudaram depois do plano e não foram executados')}.`,
    byStage: 'Resultados por etapa',
    pace: 'Ritmo',
    rateOf: (rate) => `no máximo ${numberPt(rate)} por segundo`,
    noRate: 'tão rápido quanto os handlers',
    stopsAt: (percent) => `para quando mais de ${String(percent)} % de uma etapa falha`,
    neverStops: 'não para por falhas',
    selection: 'Seleção',
    all: 'tudo',
    ended: 'Fim',
    cancel: 'Parar a execução',
    resume: 'Retomar',
    resumeWhy: (failures) =>
      `${failures ? 'Ela parou sozinha e não alterou os outros. Leia os erros, corrija a causa e retome. ' : ''}A retomada começa de novo com um item, se for em etapas.`,
    stopWatching: 'Parar de atualizar',
    watch: 'Atualizar sozinho',
  },
  compose: {
    title: 'Executar eventos de novo',
    lead: 'Escolha eventos e handlers. A próxima página mostra o plano; nada começa ainda.',
    noHandler: 'Escolha ao menos um handler.',
    status: 'Com uma entrega',
    handled: 'O que um handler já tratou',
    leaveHandled: 'Deixar de fora',
    runHandled: 'Executar também de novo: o handler o recebe duas vezes',
  },
};

export const jobWords = { en: english, 'pt-BR': portuguese };
