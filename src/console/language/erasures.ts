/** The words of holds and erasures. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { IdentifierType } from '../../privacy/identifier.ts';
import type { ContentPlace } from '../../store/privacy.ts';

const places = {
  event: ['events', 'eventos'],
  quarantine: ['quarantined webhooks', 'webhooks em quarentena'],
  delivery: ['deliveries', 'entregas'],
  attempt: ['attempts', 'tentativas'],
  state: ['states of machines', 'estados de máquinas'],
  base: ['states before pruned events', 'estados antes de eventos removidos por idade'],
  anomaly: ['anomalies', 'anomalias'],
  subject: ['subjects', 'objetos'],
  job: ['jobs', 'jobs'],
} satisfies Readonly<Record<ContentPlace, Pair>>;

export const erasureWords = {
  hold: ['Hold a subject', 'Reter um objeto'],
  holdWhy: [
    'Nothing of it is erased or deleted by age until the hold ends. A hold of user:77 covers user-login:77, and one of company:12 covers company-login:12.',
    'Nada dele é apagado nem removido por idade até a retenção terminar. A de user:77 vale também para user-login:77, e a de company:12 para company-login:12.',
  ],
  subjectHint: ['user:77', 'user:77'],
  reasonWhy: [
    'It is stored and shown, so it must not name the person.',
    'Fica guardado e aparece, então não pode identificar a pessoa.',
  ],
  place: ['Hold it', 'Reter'],
  unseen: [
    'The subject is held. Nothing of it is stored yet: compare its spelling with a subject in the list of events.',
    'O objeto está retido. Nada dele está guardado ainda: compare a grafia com a de um objeto na lista de eventos.',
  ],
  end: ['End the hold', 'Encerrar a retenção'],
  endWhy: (subject: string, reason: string) => [
    `After that, ${subject} (${reason}) is protected no more: it can be erased, and age removes its content.`,
    `Depois disso, ${subject} (${reason}) não está mais protegido: pode ser apagado, e seu conteúdo é removido por idade.`,
  ],
  ended: ['The hold has ended.', 'A retenção foi encerrada.'],
  find: ['Find or erase a person', 'Buscar ou apagar uma pessoa'],
  findWhy: [
    'Every row is searched, and the plan says what an erasure would change. Nothing changes yet. Addresses, logs and the audit never contain what you type here.',
    'Todas as linhas são lidas, e o plano diz o que um apagamento mudaria. Nada muda ainda. Endereços, logs e auditoria nunca contêm o que você digita aqui.',
  ],
  searchHere: [
    'Search for a person here: another search would put what you typed into an address, which browsers and logs keep.',
    'Busque a pessoa aqui: outra busca poria o que você digitou em um endereço, que navegadores e logs guardam.',
  ],
  needs: [
    'Finding and erasing a person needs the roles operate and unmask.',
    'Buscar e apagar uma pessoa exige os papéis operate e unmask.',
  ],
  person: ['The person, one identifier a line', 'A pessoa, um identificador por linha'],
  personWhy: [
    'CPF, CNPJ, e-mail address, phone with area code, or a record such as user:77',
    'CPF, CNPJ, e-mail, telefone com DDD, ou um registro como user:77',
  ],
  search: ['Search', 'Buscar'],
  searching: ['Searching for the person', 'Buscando a pessoa'],
  read: (place: ContentPlace, rows: number) => [
    `${en.number(rows)} rows read: ${places[place][0]}`,
    `${pt.number(rows)} linhas lidas: ${places[place][1]}`,
  ],
  title: (rows: number, held: number) =>
    rows > 0
      ? [`Erase a person: ${en.many(rows, 'row')}`, `Apagar uma pessoa: ${pt.many(rows, 'linha')}`]
      : held > 0
        ? [
            'A legal hold keeps all rows of this person',
            'Uma retenção legal mantém todas as linhas desta pessoa',
          ]
        : ['Nothing is stored of this person', 'Nada está guardado desta pessoa'],
  lead: ['Nothing has changed yet.', 'Nada mudou ainda.'],
  identifiedBy: (counts: string) => [
    `The person is identified by ${counts}.`,
    `A pessoa é identificada por ${counts}.`,
  ],
  types: {
    cpf: (count: number) => [en.many(count, 'CPF'), pt.many(count, 'CPF')],
    cnpj: (count: number) => [en.many(count, 'CNPJ'), pt.many(count, 'CNPJ')],
    email: (count: number) => [
      en.many(count, 'e-mail address', 'e-mail addresses'),
      pt.many(count, 'e-mail'),
    ],
    phone: (count: number) => [en.many(count, 'phone'), pt.many(count, 'telefone')],
    subject: (count: number) => [en.many(count, 'record'), pt.many(count, 'registro')],
  } satisfies Readonly<Record<IdentifierType, (count: number) => Pair>>,
  places,
  what: ['What changes', 'O que muda'],
  rows: ['Rows', 'Linhas'],
  erased: ['Fields that are erased', 'Campos apagados'],
  kept: ['Fields that stay: not of this person', 'Campos que ficam: não são desta pessoa'],
  more: (count: number) => [`and ${en.many(count, 'more', 'more')}`, `e ${pt.many(count, 'outro')}`],
  first: (count: number) => [`The first ${en.number(count)} rows`, `As primeiras ${pt.number(count)} linhas`],
  id: ['Id', 'Id'],
  fields: ['Names the person in', 'Identifica a pessoa em'],
  held: [
    'The person is under a legal hold, so nothing can be erased:',
    'A pessoa está sob retenção legal, então nada pode ser apagado:',
  ],
  heldRows: (rows: number) => [
    `${en.many(rows, 'row')} of subjects under a legal hold ${rows === 1 ? 'names' : 'name'} the person and ${rows === 1 ? 'stays' : 'stay'}. Erase the person again when the hold has ended.`,
    `${pt.many(rows, 'linha')} de objetos sob retenção legal ${rows === 1 ? 'identifica a pessoa e fica' : 'identificam a pessoa e ficam'}. Apague a pessoa de novo quando a retenção terminar.`,
  ],
  erase: ['Erase the person', 'Apagar a pessoa'],
  eraseWhy: [
    'There is no way back. Handlers’ own systems, backups, exports and the provider keep what they have; a webhook with new data of the person is a new event.',
    'Não há volta. Os sistemas dos handlers, backups, exportações e o provedor mantêm o que têm; um webhook com novos dados da pessoa é um novo evento.',
  ],
  again: [
    'Type the same identifiers again, one a line',
    'Digite de novo os mesmos identificadores, um por linha',
  ],
  expires: ['The plan can be started until', 'O plano pode ser iniciado até'],
  back: ['Back', 'Voltar'],
  erasing: ['Erasing the person', 'Apagando a pessoa'],
  ledgerTitle: (id: string) => [`Erasure ${id}`, `Apagamento ${id}`],
  states: {
    erasing: ['running', 'em andamento'],
    finished: ['finished', 'terminado'],
    unfinished: ['not finished', 'não terminado'],
  },
  finishedBut: (held: number) => [
    `finished; ${en.many(held, 'row')} ${held === 1 ? 'stays' : 'stay'}, by a legal hold`,
    `terminado; ${pt.many(held, 'linha')} ${held === 1 ? 'fica' : 'ficam'}, por uma retenção legal`,
  ],
  runningIn: (process: string) => [
    `It runs in the process ${process}`,
    `Está em andamento no processo ${process}`,
  ],
  runningSince: ['since', 'desde'],
  runs: ['Runs, and what each erased', 'Execuções, e o que cada uma apagou'],
  failedSearch: ['The search ended without a plan.', 'A busca terminou sem plano.'],
  /** @param place of a problem, such as `identifier 1` */
  wrongAt: (place: string) => [place, place.replace(/^identifier(?= )/u, 'identificador')],
  unfinishedWhy: [
    'Start the same erasure again: it goes on where it ended.',
    'Inicie o mesmo apagamento de novo: ele continua de onde parou.',
  ],
  files: ['Searched files', 'Arquivos examinados'],
  filesOf: (bytes: string, hits: number) => [
    `${bytes}; ${en.many(hits, 'occurrence')} of the person`,
    `${bytes}; ${pt.many(hits, 'ocorrência')} da pessoa`,
  ],
  noFiles: [
    'none: the database is on a server, whose vacuum, standbys and backups are yours to look after',
    'nenhum: o banco fica em um servidor, e o vacuum, as réplicas e os backups dele ficam por sua conta',
  ],
  rowsStay: ['Rows that a legal hold keeps', 'Linhas que uma retenção legal mantém'],
  seeHolds: ['See the holds', 'Ver as retenções'],
  receipt: ['Receipt', 'Recibo'],
  download: ['Download it as JSON', 'Baixar como JSON'],
  receiptWhy: [
    'It is signed, names nobody, and portaria privacy verify checks it.',
    'É assinado, não identifica ninguém, e portaria privacy verify o confere.',
  ],
} satisfies Pairs;
