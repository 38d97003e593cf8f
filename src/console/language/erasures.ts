/** The words of holds and erasures. */
import { counting } from '../../pages/language/count.ts';
import type { IdentifierType } from '../../privacy/identifier.ts';
import type { ContentPlace } from '../../store/privacy.ts';

const { number: numberEn, many: en } = counting('en');
const { number: numberPt, many: pt } = counting('pt-BR');

const english = {
  hold: 'Hold a subject',
  holdWhy:
    'Nothing of it is erased or pruned until the hold ends. A hold of user:77 covers user-login:77, and one of company:12 covers company-login:12.',
  subjectHint: 'user:77',
  reasonWhy: 'It is stored and shown, so it must not name the person.',
  place: 'Hold it',
  unseen:
    'The subject is held. Nothing of it is stored yet: compare its spelling with a subject in the list of events.',
  end: 'End the hold',
  endWhy: 'Afterwards it can be erased, and old content of it is pruned.',
  find: 'Find or erase a person',
  findWhy:
    'Every row is searched, and the plan says what an erasure would change. Nothing changes yet. Addresses, logs and the audit never contain what you type here.',
  needs: 'Finding and erasing a person needs the roles operate and unmask.',
  person: 'The person, one identifier a line',
  personWhy: 'CPF, CNPJ, e-mail address, phone with area code, or a record such as user:77',
  search: 'Search',
  searching: 'Searching for the person',
  read: (place: ContentPlace, rows: number): string =>
    `${numberEn(rows)} rows read: ${english.places[place]}`,
  title: (rows: number): string =>
    rows === 0 ? 'Nothing is stored of this person' : `Erase a person: ${en(rows, 'row')}`,
  lead: 'Nothing has changed yet.',
  identifiedBy: (counts: string): string => `The person is identified by ${counts}.`,
  types: {
    cpf: (count: number): string => en(count, 'CPF'),
    cnpj: (count: number): string => en(count, 'CNPJ'),
    email: (count: number): string => en(count, 'e-mail address', 'e-mail addresses'),
    phone: (count: number): string => en(count, 'phone'),
    subject: (count: number): string => en(count, 'record'),
  } satisfies Readonly<Record<IdentifierType, (count: number) => string>>,
  places: {
    event: 'events',
    quarantine: 'quarantined webhooks',
    delivery: 'deliveries',
    attempt: 'attempts',
    state: 'states of machines',
    base: 'states before pruned events',
    anomaly: 'anomalies',
    subject: 'subjects',
    job: 'jobs',
  } satisfies Readonly<Record<ContentPlace, string>>,
  what: 'What changes',
  rows: 'Rows',
  erased: 'Fields that are erased',
  kept: 'Fields that stay',
  more: (count: number): string => `and ${en(count, 'more', 'more')}`,
  first: (count: number): string => `The first ${numberEn(count)} rows`,
  id: 'Id',
  fields: 'Names the person in',
  held: 'The person is under a legal hold, so nothing can be erased:',
  heldRows: (rows: number): string =>
    `${en(rows, 'row')} of other held subjects would stay. Erase the person again when those holds have ended.`,
  erase: 'Erase the person',
  eraseWhy:
    'There is no way back. Handlers’ own systems, backups, exports and the provider keep what they have; a webhook with new data of the person is a new event.',
  again: 'Type the same identifiers again, one a line',
  expires: 'The plan can be started until',
  back: 'Back',
  erasing: 'Erasing the person',
  ledgerTitle: (id: string): string => `Erasure ${id}`,
  states: { erasing: 'running', finished: 'finished', unfinished: 'not finished' },
  runningIn: (process: string): string => `It runs in the process ${process}`,
  runningSince: 'since',
  runs: 'Runs, and what each erased',
  failedSearch: 'The search ended without a plan.',
  /** @param place of a problem, such as `identifier 1` */
  wrongAt: (place: string): string => place,
  unfinishedWhy: 'Start the same erasure again: it goes on where it ended.',
  files: 'Searched files',
  filesOf: (bytes: string, hits: number): string => `${bytes}; ${en(hits, 'occurrence')} of the person`,
  noFiles: 'none: the database is on a server, whose vacuum, standbys and backups are yours to look after',
  rowsStay: 'Held rows that stay',
  receipt: 'Receipt',
  download: 'Download it as JSON',
  receiptWhy: 'It is signed, names nobody, and portaria privacy verify checks it.',
};

const portuguese: typeof english = {
  hold: 'Reter um objeto',
  holdWhy:
    'Nada dele é apagado nem removido por idade até a retenção terminar. A de user:77 vale também para user-login:77, e a de company:12 para company-login:12.',
  subjectHint: 'user:77',
  reasonWhy: 'Fica guardado e aparece, então não pode identificar a pessoa.',
  place: 'Reter',
  unseen:
    'O objeto está retido. Nada dele está guardado ainda: compare a grafia com a de um objeto na lista de eventos.',
  end: 'Encerrar a retenção',
  endWhy: 'Depois disso ele pode ser apagado, e seu conteúdo antigo é removido.',
  find: 'Procurar ou apagar uma pessoa',
  findWhy:
    'Todas as linhas são lidas, e o plano diz o que um apagamento mudaria. Nada muda ainda. Endereços, logs e auditoria nunca contêm o que você digita aqui.',
  needs: 'Procurar e apagar uma pessoa exige os papéis operate e unmask.',
  person: 'A pessoa, um identificador por linha',
  personWhy: 'CPF, CNPJ, e-mail, telefone com DDD, ou um registro como user:77',
  search: 'Procurar',
  searching: 'Procurando a pessoa',
  read: (place, rows) => `${numberPt(rows)} linhas lidas: ${portuguese.places[place]}`,
  title: (rows) =>
    rows === 0 ? 'Nada está guardado desta pessoa' : `Apagar uma pessoa: ${pt(rows, 'linha')}`,
  lead: 'Nada mudou ainda.',
  identifiedBy: (counts) => `A pessoa é identificada por ${counts}.`,
  types: {
    cpf: (count) => pt(count, 'CPF'),
    cnpj: (count) => pt(count, 'CNPJ'),
    email: (count) => pt(count, 'e-mail'),
    phone: (count) => pt(count, 'telefone'),
    subject: (count) => pt(count, 'registro'),
  },
  places: {
    event: 'eventos',
    quarantine: 'webhooks em quarentena',
    delivery: 'entregas',
    attempt: 'tentativas',
    state: 'estados de máquinas',
    base: 'estados antes de eventos removidos por idade',
    anomaly: 'anomalias',
    subject: 'objetos',
    job: 'execuções',
  },
  what: 'O que muda',
  rows: 'Linhas',
  erased: 'Campos apagados',
  kept: 'Campos que ficam',
  more: (count) => `e ${pt(count, 'outro')}`,
  first: (count) => `As primeiras ${numberPt(count)} linhas`,
  id: 'Id',
  fields: 'Identifica a pessoa em',
  held: 'A pessoa está sob retenção legal, então nada pode ser apagado:',
  heldRows: (rows) =>
    `${pt(rows, 'linha')} de outros objetos retidos ficariam. Apague a pessoa de novo quando essas retenções terminarem.`,
  erase: 'Apagar a pessoa',
  eraseWhy:
    'Não há volta. Os sistemas dos handlers, backups, exportações e o provedor mantêm o que têm; um webhook com novos dados da pessoa é um novo evento.',
  again: 'Digite de novo os mesmos identificadores, um por linha',
  expires: 'O plano pode ser iniciado até',
  back: 'Voltar',
  erasing: 'Apagando a pessoa',
  ledgerTitle: (id) => `Apagamento ${id}`,
  states: { erasing: 'em andamento', finished: 'terminado', unfinished: 'não terminado' },
  runningIn: (process) => `Está em andamento no processo ${process}`,
  runningSince: 'desde',
  runs: 'Execuções, e o que cada uma apagou',
  failedSearch: 'A procura terminou sem plano.',
  wrongAt: (place) => place.replace(/^identifier(?= )/u, 'identificador'),
  unfinishedWhy: 'Inicie o mesmo apagamento de novo: ele continua de onde parou.',
  files: 'Arquivos examinados',
  filesOf: (bytes, hits) => `${bytes}; ${pt(hits, 'ocorrência')} da pessoa`,
  noFiles:
    'nenhum: o banco fica em um servidor, e o vacuum, as réplicas e os backups dele ficam por sua conta',
  rowsStay: 'Linhas retidas que ficam',
  receipt: 'Recibo',
  download: 'Baixar como JSON',
  receiptWhy: 'É assinado, não identifica ninguém, e portaria privacy verify o confere.',
};

/** The words of holds, and of the search for a person and their erasure. */
export const erasureWords = { en: english, 'pt-BR': portuguese };
