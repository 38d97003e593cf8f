/** The words of personal data. */
import type { Pairs } from '../../pages/language/pairs.ts';

/** The settings that bound how long something is kept. */
export type KeptBy = 'events' | 'quarantine' | 'deliveries' | 'audit';

/** What bounds how long each row is kept; null for nothing. */
export const keptBy: readonly (KeptBy | null)[] = [
  ...(['events', 'quarantine', 'deliveries'] as const),
  ...([null, null, 'deliveries', 'audit', null] as const),
];

export const privacyWords = {
  lead: [
    'What is stored of persons, for how long, and who sees it.',
    'O que se guarda de pessoas, por quanto tempo, e quem vê.',
  ],
  places: ['Where it is kept', 'Onde ficam'],
  kept: ['Kept', 'Guardado'],
  shown: ['While masked', 'Com os dados ocultos'],
  /** What is kept, and what those see of it who may not unmask. */
  rows: [
    [
      [
        'Payloads and request headers of webhooks',
        'Personal fields of the contract are masked; undeclared fields and unknown kinds wholly.',
      ],
      [
        'Bodies and headers of webhooks that are no valid events',
        'Masked by the kind; a body that is no JSON is not shown.',
      ],
      [
        'Errors of handlers, changes of effects',
        'What looks like a CPF, CNPJ, e-mail address or long number is replaced.',
      ],
      ['States of machines, and what they report', 'Fields named like personal fields are masked.'],
      [
        'Ids of subjects',
        'Shown. The kinds of the specification take them from numbers of records; a kind of your own may take a CPF.',
      ],
      [
        'Filters, addresses that events were sent to, and reasons of operators',
        'What looks like personal data is replaced.',
      ],
      [
        'Names and addresses of operators; no payloads',
        'Ids, filters and reasons are masked before they are stored.',
      ],
      ['Keyed hashes of identifiers, reasons, names of operators', 'The hashes stand in receipts only.'],
    ] satisfies readonly (readonly [what: string, shown: string])[],
    [
      [
        'Conteúdos e cabeçalhos de webhooks',
        'Os campos pessoais do contrato ficam ocultos; campos não declarados e tipos desconhecidos, por inteiro.',
      ],
      [
        'Corpos e cabeçalhos de webhooks que não são eventos válidos',
        'Ocultos conforme o tipo; um corpo que não é JSON não aparece.',
      ],
      [
        'Erros de handlers, mudanças de efeitos',
        'O que parece CPF, CNPJ, e-mail ou número longo é substituído.',
      ],
      ['Estados de máquinas, e o que elas relatam', 'Campos com nomes de campos pessoais ficam ocultos.'],
      [
        'Ids de objetos',
        'Aparecem. Os tipos da especificação os tiram de números de registros; um tipo seu pode tirar um CPF.',
      ],
      [
        'Filtros, endereços para os quais eventos foram enviados, e motivos de operadores',
        'O que parece dado pessoal é substituído.',
      ],
      [
        'Nomes e endereços de operadores; nenhum conteúdo',
        'Ids, filtros e motivos são ocultados antes de serem guardados.',
      ],
      [
        'Hashes com chave dos identificadores, motivos, nomes de operadores',
        'Os hashes aparecem só nos recibos.',
      ],
    ],
  ],
  forever: ['for ever', 'para sempre'],
  keptForever: (setting: string) => [
    `for ever: ${setting} is not set`,
    `para sempre: ${setting} não está definida`,
  ],
  elsewhere: [
    'Logs and metrics have none. Backups, exports, the systems of handlers and the targets of forward are not part of this list.',
    'Logs e métricas não têm nenhum. Backups, exportações, os sistemas dos handlers e os destinos de forward não fazem parte desta lista.',
  ],
  unmasking: [
    'Whoever may unmask sees it in plain text, on demand; each such read is in the audit.',
    'Quem pode mostrá-los os vê em texto claro, a pedido; cada leitura assim está na auditoria.',
  ],
  unmasked: ['Reads in plain text', 'Leituras em texto claro'],
  kinds: ['By kind', 'Por tipo'],
  fields: ['Personal fields', 'Campos pessoais'],
  noFields: ['none declared', 'nenhum declarado'],
  wholly: ['all: the contract does not know the kind', 'todos: o contrato não conhece o tipo'],
  wholeLibrary: ['all: the schema does not list its fields', 'todos: o esquema não lista seus campos'],
  noEvents: ['No event is stored.', 'Nenhum evento está guardado.'],
  holds: ['Holds', 'Retenções legais'],
  holdsLead: [
    'What is held is neither erased nor deleted by age.',
    'O que está retido não é apagado nem removido por idade.',
  ],
  noHolds: ['No subject is held.', 'Nenhum objeto está retido.'],
  erasures: ['Erasures', 'Apagamentos'],
  noErasures: ['Nobody was erased.', 'Nenhuma pessoa foi apagada.'],
  erasure: ['Erasure', 'Apagamento'],
  identifiers: ['Identifiers', 'Identificadores'],
  started: ['Begun', 'Início'],
} satisfies Pairs;
