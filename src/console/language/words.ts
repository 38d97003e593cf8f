/** The words of the console, by page. */
import { en, pt } from '../../pages/language/count.ts';
import { spoken, type Pair, type Pairs } from '../../pages/language/pairs.ts';
import { refusals, type Refusal } from '../../kernel/refusals.ts';
import { refusals as recusas } from './refusals.ts';
import { say } from '../../kernel/text/sentences.ts';
import { eventWords } from './events.ts';
import { jobWords } from './jobs.ts';
import { planWords } from './plans.ts';
import type { DeliveryStatus } from '../../store/queries.ts';
import { auditWords, signOnWords } from './audit.ts';
import { chartWords } from './charts.ts';
import { handlerWords, pauseWords, visitorName } from './handlers.ts';
import { problemWords } from './problems.ts';
import { erasureWords } from './erasures.ts';
import { privacyWords } from './privacy.ts';
import { payloadWords } from './payload.ts';
import { searchWords } from './search.ts';
import { contractWords } from './contract.ts';
import { machineWords } from './machines.ts';
import { quarantineWords } from './quarantine.ts';
import { reconcileWords } from './reconcile.ts';
import { watchWords } from './watch.ts';
import { storyWords } from './story.ts';
import { keyWords, liveWords } from './live.ts';

const delivery = {
  pending: ['waiting', 'aguardando'],
  running: ['running', 'em execução'],
  succeeded: ['succeeded', 'concluída'],
  dead: ['failed', 'falhou'],
  skipped: ['skipped', 'ignorada'],
  discarded: ['discarded', 'descartada'],
} satisfies Readonly<Record<DeliveryStatus | 'discarded', Pair>>;

/** The deliveries of an event that are in a state, of all of them; `muitas` where the Portuguese plural differs. */
function outcome(status: keyof typeof delivery, muitas: string = delivery[status][1]) {
  return (count: number, all: number): Pair => [
    `${all === 1 ? '' : `${String(count)} of ${String(all)} `}${delivery[status][0]}`,
    all === 1 ? delivery[status][1] : `${String(count)} de ${String(all)} ${muitas}`,
  ];
}

const words = {
  frame: {
    menu: ['Menu', 'Menu'],
    skip: ['Skip to the content', 'Ir para o conteúdo'],
    visitor: visitorName,
    languages: { en: ['English', 'English'], 'pt-BR': ['Português', 'Português'] },
    search: ['Search', 'Buscar'],
    searchHint: ['Id, subject, handler, kind or text', 'Id, objeto, handler, tipo ou texto'],
    zone: ['Times in', 'Horários em'],
    signOut: ['Sign out', 'Sair'],
    viewOnly: [
      'You may only view. Ask an operator to act.',
      'Você só pode ver. Peça a um operador para agir.',
    ],
    names: {
      overview: ['Overview', 'Visão geral'],
      live: ['Live', 'Ao vivo'],
      events: ['Events', 'Eventos'],
      failures: ['Failures', 'Falhas'],
      quarantine: ['Quarantine', 'Quarentena'],
      handlers: ['Handlers', 'Handlers'],
      audit: ['Audit', 'Auditoria'],
      privacy: ['Personal data', 'Dados pessoais'],
      system: ['System', 'Sistema'],
      jobs: ['Jobs', 'Jobs'],
      machines: ['Machines', 'Máquinas'],
      contract: ['Contract', 'Contrato'],
      senders: ['Senders', 'Remetentes'],
    },
  },
  signIn: {
    title: ['Sign in', 'Entrar'],
    token: ['Token', 'Token'],
    explain: [
      'The token is the value of PORTARIA_OPS_TOKEN, or of PORTARIA_OPS_VIEW_TOKEN for reading only.',
      'O token é o valor de PORTARIA_OPS_TOKEN, ou de PORTARIA_OPS_VIEW_TOKEN só para leitura.',
    ],
    wrong: [
      'This token is wrong. Check the setting, and that nothing was cut off.',
      'Este token está errado. Confira a configuração e se nada foi cortado.',
    ],
  },
  list: {
    next: ['Older', 'Mais antigos'],
    first: ['Newest', 'Mais novos'],
    any: ['any', 'qualquer'],
    filter: ['Filter', 'Filtrar'],
    timeNote: [
      'Times as 2026-11-22 13:00, or as 30m, 2h or 7d before now. Zone:',
      'Horários como 2026-11-22 13:00, ou 30m, 2h ou 7d antes de agora. Fuso:',
    ],
    badTime: (text: string) => [
      `Write a time as 2026-11-22 13:00, or as 30m, 2h or 7d before now, not ${text}.`,
      `Escreva um horário como 2026-11-22 13:00, ou 30m, 2h ou 7d antes de agora, não ${text}.`,
    ],
    badSubject: (text: string) => [
      `Write a subject as family:id, for example company:12, not ${text}.`,
      `Escreva um objeto como família:id, por exemplo company:12, não ${text}.`,
    ],
    badCompany: (text: string) => [
      `Write the number of a company, for example 12, not ${text}.`,
      `Escreva o número de uma empresa, por exemplo 12, não ${text}.`,
    ],
    timeHint: ['2026-11-22 13:00', '2026-11-22 13:00'],
    time: ['Time', 'Horário'],
    csv: ['As CSV', 'Em CSV'],
    cut: (rows: number) => [
      `Only the newest ${en.number(rows)} are in this file.`,
      `Só os ${pt.number(rows)} mais novos estão neste arquivo.`,
    ],
    more: ['More', 'Mais'],
    left: (count: number) => [
      `${en.number(count)} more ${count === 1 ? 'is' : 'are'} not shown.`,
      `Mais ${pt.number(count)} fora da lista.`,
    ],
    showLeft: ['Show all', 'Mostrar tudo'],
    without: (filter: string) => [`Remove the filter ${filter}`, `Remover o filtro ${filter}`],
  },
  delivery,
  verdict: {
    new: ['new', 'novo'],
    stale: ['stale', 'atrasado'],
    ambiguous: ['ambiguous', 'ambíguo'],
  },
  outcome: {
    none: ['no handler', 'sem handler'],
    ...{ dead: outcome('dead', 'falharam'), running: outcome('running'), pending: outcome('pending') },
    succeeded: outcome('succeeded', 'concluídas'),
    skipped: outcome('skipped', 'ignoradas'),
    discarded: outcome('discarded', 'descartadas'),
  },
  /** Headings of columns, and labels of fields, that several pages have. */
  columns: {
    received: ['Received', 'Recebido'],
    kind: ['Kind', 'Tipo'],
    subject: ['Subject', 'Objeto'],
    subjects: ['Subjects', 'Objetos'],
    company: ['Company', 'Empresa'],
    event: ['Event', 'Evento'],
    source: ['Source', 'Origem'],
    verdict: ['Verdict', 'Veredito'],
    version: ['Version', 'Versão'],
    field: ['Field', 'Campo'],
    meaning: ['Meaning', 'Significado'],
    sample: ['Sample', 'Exemplo'],
    handler: ['Handler', 'Handler'],
    deliveries: ['Deliveries', 'Entregas'],
    webhooks: ['Webhooks', 'Webhooks'],
    attempts: ['Attempts', 'Tentativas'],
    state: ['State', 'Estado'],
    failed: ['Failed', 'Falhas'],
    error: ['Error', 'Erro'],
    problem: ['Problem', 'Problema'],
    result: ['Result', 'Resultado'],
    reason: ['Reason', 'Motivo'],
    why: ['Why', 'Por quê'],
    what: ['What', 'O quê'],
    where: ['Where', 'Onde'],
    by: ['By', 'Por'],
    since: ['Since', 'Desde'],
    until: ['Until', 'Até'],
    from: ['From', 'De'],
    action: ['Action', 'Ação'],
    waiting: ['Waiting', 'Aguardando'],
  },
  overview: {
    quiet: ['Nothing needs you', 'Nada precisa de você'],
    attention: (count: number) => [
      `${en.many(count, 'thing')} ${count === 1 ? 'needs' : 'need'} you`,
      count === 1 ? '1 assunto precisa de você' : `${String(count)} assuntos precisam de você`,
    ],
    lead: (events: number, repeats: number) => [
      `${en.many(events, 'event')} stored, ${en.many(repeats, 'repeat')} recognized.`,
      `${pt.many(events, 'evento')} ${events === 1 ? 'guardado' : 'guardados'}, ${pt.many(repeats, 'repetição', 'repetições')} ${repeats === 1 ? 'reconhecida' : 'reconhecidas'}.`,
    ],
    dead: (count: number, handler: string) => [
      `${en.many(count, 'delivery', 'deliveries')} to ${handler} failed.`,
      `${pt.many(count, 'entrega')} para ${handler} ${count === 1 ? 'falhou' : 'falharam'}.`,
    ],
    breakerOpen: (handler: string, open: string) => [
      `${handler} kept failing (breaker open${open && ` for ${open}`}): its events wait, and one is tried now and then.`,
      `${handler} falhou seguidamente (disjuntor aberto${open && ` há ${open}`}): os eventos aguardam, e um é tentado de vez em quando.`,
    ],
    /** By what the probe of readiness says. */
    notReady: {
      'not started yet': [
        'Webhooks are not accepted yet: the process is starting.',
        'Webhooks ainda não são aceitos: o processo está iniciando.',
      ],
      stopping: [
        'Webhooks are not accepted any more: the process is stopping.',
        'Webhooks já não são aceitos: o processo está parando.',
      ],
    },
    kinds: ['Kinds with the most events', 'Tipos com mais eventos'],
    allKinds: (count: number) => [`All ${String(count)} kinds`, `Todos os ${String(count)} tipos`],
    last: ['Last', 'Último'],
    none: [
      'No webhook has arrived yet. Send a sample with: portaria send company.created',
      'Nenhum webhook chegou ainda. Envie um exemplo com: portaria send company.created',
    ],
  },
  ...eventWords,
  failures: {
    lead: [
      'Deliveries that failed and are not retried by themselves. A retried one runs before the newer ones of its subject.',
      'Entregas que falharam e não são tentadas de novo sozinhas. Tentada de novo, uma entrega vem antes das mais novas do objeto.',
    ],
    none: ['No delivery has failed.', 'Nenhuma entrega falhou.'],
    finished: ['Failed', 'Falhou'],
  },
  quarantine: quarantineWords,
  handlers: handlerWords,
  system: {
    lead: (version: string) => [`Portaria ${version}`, `Portaria ${version}`],
    checks: ['Checks of the store', 'Verificações do banco'],
    ok: ['ok', 'ok'],
    failed: ['failed', 'falhou'],
    warning: ['warning', 'aviso'],
    store: ['Store', 'Banco'],
    storeId: ['Store id', 'Id do banco'],
    location: ['Address', 'Endereço'],
    size: ['Size', 'Tamanho'],
    processes: ['Running processes', 'Processos em execução'],
    processesLead: [
      'They run the deliveries. The one that leads also checks and cleans up.',
      'Eles executam as entregas. O que lidera também faz a verificação e a limpeza.',
    ],
    noProcesses: ['No process runs deliveries.', 'Nenhum processo executa entregas.'],
    process: ['Process', 'Processo'],
    on: (pid: number, host: string) => [`${String(pid)} on ${host}`, `${String(pid)} em ${host}`],
    seen: ['Last heartbeat', 'Último sinal'],
    role: ['Role', 'Papel'],
    leads: ['leads', 'lidera'],
    inFlight: ['Running now', 'Em execução agora'],
  },
  errors: {
    stale: ['This form has expired', 'Este formulário expirou'],
    staleWhy: [
      'The server has restarted, or you have signed in again. Reload the page and send the form again.',
      'O servidor reiniciou, ou você entrou de novo. Recarregue a página e envie o formulário de novo.',
    ],
    failed: ['This did not work', 'Isto não funcionou'],
    notFound: ['There is no such page', 'Esta página não existe'],
    notFoundWhy: [
      'The address may be mistyped, or the page is gone.',
      'O endereço pode estar errado, ou a página já não existe.',
    ],
    notFoundNamed: (path: string) => [`Nothing is at ${path}.`, `Não há nada em ${path}.`],
    forbidden: ['You may not do this', 'Você não pode fazer isto'],
    forbiddenWhy: {
      operate: [
        'Your token reads only. Sign in with PORTARIA_OPS_TOKEN to change something.',
        'Seu token só lê. Entre com PORTARIA_OPS_TOKEN para mudar algo.',
      ],
      unmask: [
        'Your token does not show personal data. Sign in with PORTARIA_OPS_TOKEN to see it.',
        'Seu token não mostra dados pessoais. Entre com PORTARIA_OPS_TOKEN para vê-los.',
      ],
      view: ['Sign in to see this page.', 'Entre para ver esta página.'],
    },
    back: ['Back to the overview', 'Voltar à visão geral'],
  },
  audit: auditWords,
  signOn: signOnWords,
  pauses: pauseWords,
  charts: chartWords,
  problems: problemWords,
  watch: watchWords,
  reconcile: reconcileWords,
  payload: payloadWords,
  privacy: privacyWords,
  erasures: erasureWords,
  search: searchWords,
  ...jobWords,
  ...planWords,
  machines: machineWords,
  contract: contractWords,
  story: storyWords,
  live: liveWords,
  refused: (refusal: Refusal) => [say(refusals, refusal), say(recusas, refusal)],
  keys: keyWords,
} satisfies Pairs;

export const english = spoken(words, 'en');
export const portuguese = spoken(words, 'pt-BR');

/** Every word of the console in one language. */
export type Words = typeof english;
