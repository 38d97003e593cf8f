/** The words of the console, in Brazilian Portuguese. */
import { pageWords } from '../../pages/language/page-words.ts';
import { say } from '../../kernel/text/sentences.ts';
import { refusals } from './refusals.ts';
import { counting } from '../../pages/language/count.ts';
import { auditWords, signOnWords } from './audit.ts';
import { chartWords } from './charts.ts';
import { jobWords } from './jobs.ts';
import { planWords } from './plans.ts';
import type { Words } from './english.ts';
import { pauseWords } from './pauses.ts';
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

const { many } = counting('pt-BR');

/** The console in Brazilian Portuguese. */
export const portuguese: Words = {
  frame: {
    ...pageWords['pt-BR'].frame,
    search: 'Buscar',
    searchHint: 'Id de evento, objeto, tipo ou texto',
    zone: 'Horários em',
    signOut: 'Sair',
    updates: 'Esta página se atualiza a cada 2 s.',
    names: {
      overview: 'Visão geral',
      live: 'Ao vivo',
      events: 'Eventos',
      failures: 'Falhas',
      quarantine: 'Quarentena',
      handlers: 'Handlers',
      audit: 'Auditoria',
      privacy: 'Dados pessoais',
      system: 'Sistema',
      jobs: 'Execuções',
      machines: 'Máquinas',
      contract: 'Contrato',
      senders: 'Remetentes',
    },
  },
  signIn: {
    title: 'Entrar',
    token: 'Token',
    explain: 'O token é o valor de PORTARIA_OPS_TOKEN, ou de PORTARIA_OPS_VIEW_TOKEN só para leitura.',
    wrong: 'Este não é um token desta Portaria. Confira a configuração e se nada foi cortado.',
  },
  list: {
    ...pageWords['pt-BR'].list,
    badTime: (text) =>
      `Escreva um horário como 2026-11-22 13:00, ou 30m, 2h ou 7d antes de agora, não ${text}.`,
    badSubject: (text) => `Escreva um objeto como família:id, por exemplo company:12, não ${text}.`,
    timeHint: '2026-11-22 13:00',
    time: 'Horário',
    more: 'Mais',
    without: (filter) => `Remover o filtro ${filter}`,
  },
  delivery: {
    pending: 'aguardando',
    running: 'em execução',
    succeeded: 'concluída',
    dead: 'falhou',
    skipped: 'ignorada',
  },
  verdict: { new: 'novo', stale: 'atrasado', ambiguous: 'ambíguo' },
  outcome: {
    none: 'sem handler',
    dead: (count, all) => (all === 1 ? 'falhou' : `${String(count)} de ${String(all)} falharam`),
    running: (count, all) => (all === 1 ? 'em execução' : `${String(count)} de ${String(all)} em execução`),
    pending: (count, all) => (all === 1 ? 'aguardando' : `${String(count)} de ${String(all)} aguardando`),
    skipped: (count, all) => (all === 1 ? 'ignorada' : `${String(count)} de ${String(all)} ignoradas`),
    done: (all) => (all === 1 ? 'concluída' : `${String(all)} concluídas`),
  },
  columns: {
    received: 'Recebido',
    kind: 'Tipo',
    subject: 'Objeto',
    subjects: 'Objetos',
    event: 'Evento',
    source: 'Origem',
    verdict: 'Veredito',
    version: 'Versão',
    field: 'Campo',
    meaning: 'Significado',
    sample: 'Exemplo',
    handler: 'Handler',
    deliveries: 'Entregas',
    webhooks: 'Webhooks',
    attempts: 'Tentativas',
    state: 'Estado',
    failed: 'Falhas',
    error: 'Erro',
    problem: 'Problema',
    result: 'Resultado',
    reason: 'Motivo',
    why: 'Por quê',
    what: 'O quê',
    where: 'Onde',
    by: 'Por',
    since: 'Desde',
    until: 'Até',
    from: 'De',
  },
  overview: {
    quiet: 'Nada precisa de você',
    attention: (count) =>
      count === 1 ? '1 assunto precisa de você' : `${String(count)} assuntos precisam de você`,
    lead: (events, repeats) =>
      `${many(events, 'evento')} ${events === 1 ? 'guardado' : 'guardados'}, ${many(repeats, 'repetição', 'repetições')} ${repeats === 1 ? 'reconhecida' : 'reconhecidas'}.`,
    dead: (count, handler) =>
      `${many(count, 'entrega')} para ${handler} ${count === 1 ? 'falhou' : 'falharam'}.`,
    breakerOpen: (handler) =>
      `O disjuntor de ${handler} está aberto, porque falhou seguidamente. Seus eventos aguardam.`,
    notReady: {
      'not started yet': 'Webhooks não são aceitos: o processo ainda não começou.',
      stopping: 'Webhooks não são aceitos: o processo está parando.',
    },
    kinds: 'Tipos com mais eventos',
    allKinds: (count) => `Todos os ${String(count)} tipos`,
    last: 'Último',
    none: 'Nenhum webhook chegou ainda. Envie um exemplo com: portaria send company.created',
  },
  events: {
    lead: 'Webhooks aceitos, dos mais novos aos mais antigos. Uma repetição é contada no evento que ela repete.',
    outcome: 'Desfecho',
    flag: 'Marca',
    repeats: (count) => `repetido ${many(count, 'vez', 'vezes')}`,
    kindHint: 'charge.*',
    subjectHint: 'família:id',
    empty: 'Nenhum evento corresponde. Remova um filtro, ou confira a grafia do tipo.',
    badFilter: 'O filtro não foi aplicado:',
  },
  event: {
    title: (id) => `Evento ${id}`,
    changed: 'O que mudou desde o evento anterior',
    first: 'Este é o primeiro evento conhecido do objeto.',
    unchanged: 'Nada difere do evento anterior.',
    was: 'era',
    is: 'é',
    absent: 'ausente',
    maskedChange: 'mudou (oculto)',
    payload: 'Como foi enviado',
    bytes: (size, masked) => (masked ? `${size}, dados pessoais ocultos` : size),
    purged: 'O conteúdo foi apagado. O resumo criptográfico fica, e uma repetição ainda é reconhecida.',
    maskedValue: 'dado pessoal, oculto',
    members: (count) => many(count, 'membro'),
    deliveries: 'O que aconteceu com ele',
    noDeliveries: 'Nenhum handler recebe este tipo; nada foi executado.',
    attempts: (count) => many(count, 'tentativa'),
    waitsForRate: 'Aguarda o limite de chamadas até',
    headers: 'Cabeçalhos guardados',
    unmask: 'Mostrar dados pessoais',
    mask: 'Ocultar dados pessoais',
    older:
      'O handler já tratou um evento posterior, e uma nova tentativa poria conteúdo mais antigo por cima:',
    retry: 'Tentar de novo',
    retried: (count) =>
      `${many(count, 'entrega')} ${count === 1 ? 'será executada' : 'serão executadas'} de novo, à frente da fila.`,
    notRetried: 'Nada foi repetido: a entrega já não está em falha.',
    finished: 'Fim',
    flags: 'Marcas',
    messageId: 'Id da mensagem',
    verdicts: {
      new: 'Novo: era o mais recente do objeto quando chegou, e nenhuma repetição.',
      stale: (before) =>
        `Atrasado. Um evento mais novo do objeto já era conhecido quando ele chegou${before}. As máquinas o incluem em seu lugar; handlers só o recebem se pedem eventos atrasados.`,
      ambiguous:
        'Ambíguo. O objeto voltou a um conteúdo anterior. Uma repetição tardia e uma mudança real são iguais.',
    },
    repeated: (count) => `Foi repetido ${many(count, 'vez', 'vezes')} e reconhecido em todas, a última em`,
  },
  subject: {
    lead: (count) => `${many(count, 'evento', 'eventos')}.`,
    unknown: (subject) => `Nenhum evento de ${subject} chegou`,
    unknownWhy: 'O id pode estar errado, ou pertencer a outra família.',
    sameId: 'Objetos com este id',
    naming: 'Objetos cujo conteúdo cita esta empresa',
    searchFor: 'Buscar este id nos conteúdos',
    changed: 'O que mudou',
    story: 'Seus eventos',
    inOrder: 'Chegaram na ordem em que mudaram.',
    orders: 'Ordem de chegada ao lado da ordem das versões',
    byVersion: 'quando mudou',
    byArrival: 'quando chegou',
  },
  failures: {
    lead: 'Entregas que falharam e não serão tentadas de novo. Uma nova tentativa é a primeira do seu objeto.',
    none: 'Nenhuma entrega com falha está em aberto.',
    finished: 'Falhou',
  },
  quarantine: quarantineWords['pt-BR'],
  handlers: {
    lead: 'Os handlers e as máquinas deste processo.',
    name: 'Nome',
    kinds: 'Tipos',
    order: 'Um de cada vez',
    orders: { subject: 'por objeto', latest: 'o mais novo por objeto', handler: 'no total', none: 'não' },
    waiting: 'Aguardando',
    running: 'Em execução',
    failing: 'Tentando de novo',
    runs: 'em operação',
    waits: 'O que aguarda há mais tempo',
    noWaits: 'Nada aguarda.',
    failures: 'Falhas por erro',
    periods: ['Última hora', 'Últimas 24 horas'],
    atMost: (count) => `no máximo ${String(count)} por entrega`,
    rate: 'Limite de chamadas',
    rateOf: ({ limit, per, burst, key }) =>
      `no máximo ${String(limit)} por ${{ second: 'segundo', minute: 'minuto', hour: 'hora' }[per]}${burst > 1 ? `, ${String(burst)} de uma vez` : ''}${key === undefined ? '' : ', para cada chave'}`,
    noRate: 'sem limite próprio: tantas de uma vez quantas o processo executa (PORTARIA_CONCURRENCY)',
    transaction: 'Transação',
    once: 'sim: o que grava é confirmado uma só vez',
    breaker: 'Disjuntor',
    breakerOpen: (probe) =>
      probe === null
        ? 'O disjuntor está aberto, com uma sonda em curso.'
        : `O disjuntor está aberto; a próxima sonda é em ${probe}.`,
    rateWaits: (count) =>
      `${many(count, 'objeto')} ${count === 1 ? 'aguarda' : 'aguardam'} o limite de chamadas, o primeiro continua`,
    rateClosed: 'o destino pediu uma pausa, que termina',
  },
  system: {
    lead: (version) => `Portaria ${version}`,
    checks: 'Verificações do banco',
    ok: 'ok',
    failed: 'falhou',
    warning: 'verifique',
    store: 'Banco',
    storeId: 'Id do banco',
    location: 'Endereço',
    size: 'Tamanho',
    processes: 'Processos em execução',
    processesLead: 'Eles executam as entregas deste banco. O que lidera faz também o trabalho periódico.',
    noProcesses: 'Nenhum executa entregas.',
    process: 'Processo',
    on: (pid, host) => `${String(pid)} em ${host}`,
    seen: 'Último sinal',
    role: 'Papel',
    leads: 'lidera',
    inFlight: 'Em andamento',
  },
  errors: {
    ...pageWords['pt-BR'].errors,
    notFound: 'Esta página não existe',
    notFoundWhy: 'O endereço pode estar errado, ou o que ele nomeia já não existe.',
    notFoundNamed: (path) => `Não há nada em ${path}.`,
    forbidden: 'Você não pode fazer isto',
    forbiddenWhy: {
      operate: 'Seu token só lê. Entre com PORTARIA_OPS_TOKEN para mudar algo.',
      unmask: 'Seu token só vê dados ocultos. Entre com PORTARIA_OPS_TOKEN para mostrá-los.',
      view: 'Entre para ver esta página.',
    },
    back: 'Voltar à visão geral',
  },
  audit: auditWords['pt-BR'],
  signOn: signOnWords['pt-BR'],
  pauses: pauseWords['pt-BR'],
  charts: chartWords['pt-BR'],
  problems: problemWords['pt-BR'],
  watch: watchWords['pt-BR'],
  reconcile: reconcileWords['pt-BR'],
  payload: payloadWords['pt-BR'],
  privacy: privacyWords['pt-BR'],
  erasures: erasureWords['pt-BR'],
  search: searchWords['pt-BR'],
  ...jobWords['pt-BR'],
  ...planWords['pt-BR'],
  machines: machineWords['pt-BR'],
  contract: contractWords['pt-BR'],
  story: storyWords['pt-BR'],
  live: liveWords['pt-BR'],
  refused: (refusal) => say(refusals, refusal),
  keys: keyWords['pt-BR'],
};
