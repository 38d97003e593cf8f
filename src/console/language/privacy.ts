/** The words of personal data, in each language. */
import { counting } from '../../pages/language/count.ts';

/** The settings that bound how long something is kept. */
export type KeptBy = 'events' | 'quarantine' | 'deliveries' | 'audit';

export interface KeptPlace {
  readonly tables: string;
  readonly what: string;
  /** What bounds how long it is kept; null for nothing. */
  readonly kept: KeptBy | null;
  /** What those see who may not unmask. */
  readonly shown: string;
}

const { many } = counting('en');

const english = {
  title: 'Personal data',
  lead: 'What is stored of persons, for how long, and who sees it. A person is found, held and erased here, by the API and in the command line.',
  places: 'Where it is kept',
  table: 'Tables',
  what: 'What',
  kept: 'Kept',
  shown: 'While masked',
  rows: [
    {
      tables: 'events',
      what: 'Payloads and request headers of webhooks',
      kept: 'events',
      shown: 'Personal fields of the contract are masked; undeclared fields and unknown kinds wholly.',
    },
    {
      tables: 'quarantine',
      what: 'Bodies and headers of webhooks that are no valid events',
      kept: 'quarantine',
      shown: 'Masked by the kind; a body that is no JSON is not shown.',
    },
    {
      tables: 'deliveries, attempts',
      what: 'Errors of handlers, changes of effects',
      kept: 'deliveries',
      shown: 'What looks like a CPF, CNPJ, e-mail address or long number is replaced.',
    },
    {
      tables: 'machine_states, machine_bases, anomalies',
      what: 'States of machines, and what they report',
      kept: null,
      shown: 'Fields named like personal fields are masked.',
    },
    {
      tables: 'subjects',
      what: 'Ids of subjects',
      kept: null,
      shown:
        'Shown. The kinds of the specification take them from numbers of records; a kind of your own may take a CPF.',
    },
    {
      tables: 'jobs',
      what: 'Filters, addresses that events were sent to, and reasons of operators',
      kept: 'deliveries',
      shown: 'What looks like personal data is replaced.',
    },
    {
      tables: 'audit',
      what: 'Names and addresses of operators; no payloads',
      kept: 'audit',
      shown: 'Ids, filters and reasons are masked before they are stored.',
    },
    {
      tables: 'erasures, holds',
      what: 'Keyed hashes of identifiers, reasons, names of operators',
      kept: null,
      shown: 'The hashes stand in receipts only.',
    },
  ] as readonly KeptPlace[],
  forever: 'for ever',
  keptFor: (period: string, setting: string): string => `${period} (${setting})`,
  keptForever: (setting: string): string => `for ever: ${setting} is not set`,
  elsewhere:
    'Logs and metrics have none. Backups, exports, the systems of handlers and the targets of forward are not part of this list.',
  unmasking: 'Whoever may unmask sees it in plain text, on demand; each such read is in the audit.',
  unmasked: 'Reads in plain text',
  kinds: 'By kind',
  kind: 'Kind',
  events: 'Events',
  fields: 'Personal fields',
  noFields: 'none declared',
  wholly: 'all: the contract does not know the kind',
  wholeLibrary: 'all: the schema does not list its fields',
  more: (count: number): string => `and ${many(count, 'more', 'more')}`,
  noEvents: 'No event is stored.',
  holds: 'Holds',
  holdsLead: 'What is held is neither erased nor pruned.',
  noHolds: 'No subject is held.',
  subject: 'Subject',
  reason: 'Reason',
  by: 'By',
  since: 'Since',
  erasures: 'Erasures',
  noErasures: 'Nobody was erased.',
  erasure: 'Erasure',
  identifiers: 'Identifiers',
  started: 'Begun',
  state: 'State',
  finished: 'finished',
  running: 'running',
  unfinished: 'not finished',
  unfinishedWhy:
    'An erasure that was interrupted, or waits for running handlers, is finished by the same erasure, started again.',
  commands: 'In the command line',
  commandRows: [
    [
      'portaria privacy find -',
      'Every row and field of a person, values masked. The identifier is read from standard input.',
    ],
    ['portaria privacy erase - --dry-run', 'What would be erased, by kind.'],
    ['portaria privacy erase - --yes --reason …', 'Erases the person, with a signed receipt.'],
    ['portaria privacy hold add user:77 --reason …', 'Keeps a subject from being erased or pruned.'],
    ['portaria privacy receipts', 'The erasures, and the receipt of one.'],
  ] as readonly (readonly [string, string])[],
};

const { many: muitos } = counting('pt-BR');

const portuguese: typeof english = {
  title: 'Dados pessoais',
  lead: 'O que se guarda de pessoas, por quanto tempo, e quem vê. Uma pessoa é procurada, retida e apagada aqui, pela API e na linha de comando.',
  places: 'Onde ficam',
  table: 'Tabelas',
  what: 'O quê',
  kept: 'Guardado',
  shown: 'Com os dados ocultos',
  rows: [
    {
      tables: 'events',
      what: 'Conteúdos e cabeçalhos de webhooks',
      kept: 'events',
      shown:
        'Os campos pessoais do contrato ficam ocultos; campos não declarados e tipos desconhecidos, por inteiro.',
    },
    {
      tables: 'quarantine',
      what: 'Corpos e cabeçalhos de webhooks que não são eventos válidos',
      kept: 'quarantine',
      shown: 'Ocultos conforme o tipo; um corpo que não é JSON não aparece.',
    },
    {
      tables: 'deliveries, attempts',
      what: 'Erros de handlers, mudanças de efeitos',
      kept: 'deliveries',
      shown: 'O que parece CPF, CNPJ, e-mail ou número longo é substituído.',
    },
    {
      tables: 'machine_states, machine_bases, anomalies',
      what: 'Estados de máquinas, e o que elas relatam',
      kept: null,
      shown: 'Campos com nomes de campos pessoais ficam ocultos.',
    },
    {
      tables: 'subjects',
      what: 'Ids de objetos',
      kept: null,
      shown:
        'Aparecem. Os tipos da especificação os tiram de números de registros; um tipo seu pode tirar um CPF.',
    },
    {
      tables: 'jobs',
      what: 'Filtros, endereços para os quais eventos foram enviados, e motivos de operadores',
      kept: 'deliveries',
      shown: 'O que parece dado pessoal é substituído.',
    },
    {
      tables: 'audit',
      what: 'Nomes e endereços de operadores; nenhum conteúdo',
      kept: 'audit',
      shown: 'Ids, filtros e motivos são ocultados antes de serem guardados.',
    },
    {
      tables: 'erasures, holds',
      what: 'Hashes com chave dos identificadores, motivos, nomes de operadores',
      kept: null,
      shown: 'Os hashes aparecem só nos recibos.',
    },
  ],
  forever: 'para sempre',
  keptFor: (period, setting) => `${period} (${setting})`,
  keptForever: (setting) => `para sempre: ${setting} não está definida`,
  elsewhere:
    'Logs e métricas não têm nenhum. Backups, exportações, os sistemas dos handlers e os destinos de forward não fazem parte desta lista.',
  unmasking: 'Quem pode mostrá-los os vê em texto claro, a pedido; cada leitura assim está na auditoria.',
  unmasked: 'Leituras em texto claro',
  kinds: 'Por tipo',
  kind: 'Tipo',
  events: 'Eventos',
  fields: 'Campos pessoais',
  noFields: 'nenhum declarado',
  wholly: 'todos: o contrato não conhece o tipo',
  wholeLibrary: 'todos: o esquema não lista seus campos',
  more: (count) => `e ${muitos(count, 'outro')}`,
  noEvents: 'Nenhum evento está guardado.',
  holds: 'Retenções legais',
  holdsLead: 'O que está retido não é apagado nem removido por idade.',
  noHolds: 'Nenhum objeto está retido.',
  subject: 'Objeto',
  reason: 'Motivo',
  by: 'Por',
  since: 'Desde',
  erasures: 'Apagamentos',
  noErasures: 'Ninguém foi apagado.',
  erasure: 'Apagamento',
  identifiers: 'Identificadores',
  started: 'Início',
  state: 'Estado',
  finished: 'terminado',
  running: 'em andamento',
  unfinished: 'não terminado',
  unfinishedWhy:
    'Um apagamento interrompido, ou que espera por handlers em execução, termina com o mesmo apagamento, iniciado de novo.',
  commands: 'Na linha de comando',
  commandRows: [
    [
      'portaria privacy find -',
      'Cada linha e campo de uma pessoa, com os valores ocultos. O identificador é lido da entrada padrão.',
    ],
    ['portaria privacy erase - --dry-run', 'O que seria apagado, por tipo.'],
    ['portaria privacy erase - --yes --reason …', 'Apaga a pessoa, com um recibo assinado.'],
    [
      'portaria privacy hold add user:77 --reason …',
      'Impede que um objeto seja apagado ou removido por idade.',
    ],
    ['portaria privacy receipts', 'Os apagamentos, e o recibo de um.'],
  ],
};

/** The words of the page of personal data. */
export const privacyWords = { en: english, 'pt-BR': portuguese };
