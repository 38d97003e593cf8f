/** What operators do, by the operation id of the operators' API, as the end of a sentence that begins with a name. */
import type { Pairs } from '../../pages/language/pairs.ts';

const actions = {
  retryDeliveries: ['retried deliveries', 'tentou entregas de novo'],
  discardDeliveries: ['discarded deliveries', 'descartou entregas'],
  listDeliveries: ['listed deliveries', 'listou entregas'],
  showDelivery: ['looked at a delivery', 'viu uma entrega'],
  pauseDispatch: ['paused', 'pausou'],
  resumeDispatch: ['ended a pause', 'encerrou uma pausa'],
  makePlan: ['made a plan', 'fez um plano'],
  startPlan: ['started a plan', 'iniciou um plano'],
  cancelJob: ['cancelled a job', 'cancelou um job'],
  resumeJob: ['resumed a job', 'retomou um job'],
  releaseQuarantine: ['released quarantined webhooks', 'liberou webhooks em quarentena'],
  discardQuarantine: ['discarded quarantined webhooks', 'descartou webhooks em quarentena'],
  listQuarantine: ['listed quarantined webhooks', 'listou webhooks em quarentena'],
  showQuarantineEntry: ['looked at a quarantined webhook', 'viu um webhook em quarentena'],
  showQuarantineBody: [
    'looked at the body of a quarantined webhook',
    'viu o corpo de um webhook em quarentena',
  ],
  listEvents: ['listed events', 'listou eventos'],
  showEvent: ['looked at an event', 'viu um evento'],
  showEventBody: ['looked at the payload of an event', 'viu o conteúdo de um evento'],
  showSubject: ['looked at a subject', 'viu um objeto'],
  showPage: ['looked at a page', 'viu uma página'],
  sendSample: ['sent a sample', 'enviou um exemplo'],
  recognizeEvents: [
    'recognized events of kinds that were defined later',
    'reconheceu eventos de tipos definidos depois',
  ],
  findPerson: ['looked for a person', 'buscou uma pessoa'],
  planErasure: ['planned to erase a person', 'planejou apagar uma pessoa'],
  showErasurePlan: ['looked at the plan of an erasure', 'viu o plano de um apagamento'],
  startErasure: ['started to erase a person', 'começou a apagar uma pessoa'],
  erasePerson: ['erased a person', 'apagou uma pessoa'],
  reapplyErasures: ['applied erasures again', 'reaplicou apagamentos'],
  addHold: ['held a subject', 'reteve um objeto'],
  removeHold: ['ended a hold', 'encerrou uma retenção'],
  pruneEvents: ['pruned events', 'removeu eventos antigos'],
  exportEvents: ['exported events', 'exportou eventos'],
  importEvents: ['imported events', 'importou eventos'],
  listMachines: ['listed machines', 'listou máquinas'],
  showMachine: ['looked at a machine', 'viu uma máquina'],
  rebuildMachines: ['rebuilt machines', 'reconstruiu máquinas'],
  backUpDatabase: ['backed up the database', 'fez cópia do banco'],
  restoreDatabase: ['restored the database', 'restaurou o banco'],
  compactStore: ['compacted the store', 'compactou o banco'],
  copyStore: ['copied the store', 'copiou o banco'],
  renewStoreId: ['renewed the store id', 'renovou o id do banco'],
  keepStoreId: ['kept the store id', 'manteve o id do banco'],
  signIn: ['signed in', 'entrou'],
  signOut: ['signed out', 'saiu'],
  authenticate: ['asked without a valid sign-in', 'pediu sem entrada válida'],
  trustHeader: ['sent the header of a proxy without being one', 'enviou o cabeçalho de um proxy sem ser um'],
  unknown: ['sent an unknown request', 'enviou um pedido desconhecido'],
  search: ['searched', 'buscou'],
  chooseLanguage: ['chose the language', 'escolheu o idioma'],
} satisfies Pairs;

/** What a plan does, and what the states of deliveries do not say. */
const values = {
  retry: ['retry', 'tentar de novo'],
  discard: ['discard', 'descartar'],
  release: ['release', 'liberar'],
  replay: ['replay', 'reprocessar'],
  true: ['yes', 'sim'],
  skipped: ['discarded or skipped', 'descartada ou ignorada'],
} satisfies Pairs;

/** Groups of the actions, in their order, by the action that each begins with. */
const groups = {
  retryDeliveries: ['Deliveries and pauses', 'Entregas e pausas'],
  makePlan: ['Plans and jobs', 'Planos e jobs'],
  releaseQuarantine: ['Quarantine', 'Quarentena'],
  listEvents: ['Events and subjects', 'Eventos e objetos'],
  findPerson: ['People', 'Pessoas'],
  addHold: ['What is kept', 'O que fica guardado'],
  listMachines: ['Machines', 'Máquinas'],
  backUpDatabase: ['Database', 'Banco de dados'],
  signIn: ['Sign-ins and rejected requests', 'Entradas e pedidos rejeitados'],
} satisfies Pairs;

/** What an entry concerns, by the name of its member. Others have the word of a column. */
const names = {
  path: ['page', 'página'],
  delivery: ['delivery', 'entrega'],
  entry: ['webhook', 'webhook'],
  lane: ['handler and subject', 'handler e objeto'],
  pause: ['pause', 'pausa'],
  kinds: ['kinds', 'tipos'],
  flag: ['flag', 'marca'],
  company: ['of company', 'da empresa'],
  event_id: ['event', 'evento'],
  if_not_succeeded: ['only what has not succeeded', 'só o que não teve sucesso'],
  machine: ['machine', 'máquina'],
  job: ['job', 'job'],
  replay: ['replay', 'reprocessamento'],
  rate: ['a second', 'por segundo'],
  status: ['state', 'estado'],
  plan: ['action', 'ação'],
  items: ['items', 'itens'],
  searched: ['searched in', 'buscou em'],
  released: ['released', 'liberados'],
  held: ['still in quarantine', 'ainda em quarentena'],
  header: ['header', 'cabeçalho'],
  file: ['file', 'arquivo'],
  to: ['to', 'para'],
  identifiers: ['named by', 'nomeada por'],
  erasure: ['erasure', 'apagamento'],
  retried: ['retried', 'tentadas de novo'],
  discarded: ['discarded', 'descartados'],
  entries: ['webhooks', 'webhooks'],
  left_alone: ['not changed', 'não alterados'],
  duplicate: ['known already', 'já conhecidos'],
  changed: ['changed', 'alterados'],
  unchanged: ['unchanged', 'iguais'],
  kept: ['kept', 'mantidos'],
  failed: ['failed', 'com falha'],
  resumed: ['ended pauses', 'pausas encerradas'],
  paused: ['of', 'de'],
  calls: ['calls', 'chamadas'],
  rows: ['rows', 'linhas'],
  held_rows: ['rows under a legal hold', 'linhas sob retenção legal'],
  held_subjects: ['held subjects', 'objetos retidos'],
  removed: ['removed', 'encerradas'],
  by: ['in the name of', 'em nome de'],
  reason: ['quarantined for', 'em quarentena por'],
} satisfies Pairs;

/** The words of entries of the audit. An action or a member that has none is shown by its own name. */
export const auditActions = { actions, groups, names, values };

/** An action or a value in words. */
export function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name;
}
