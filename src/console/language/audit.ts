/** The words of the audit and of single sign-on. */
import { en, pt } from '../../pages/language/count.ts';
import type { Pair, Pairs } from '../../pages/language/pairs.ts';
import type { AuditPlace, AuditResult } from '../../store/audit.ts';
import { auditActions } from './audit-actions.ts';
import type { Permission } from '../../access/roles.ts';

export const signOnWords = {
  byProxyOnly: [
    'Open the console through the proxy that signs you in. Tokens are not accepted here.',
    'Abra o console pelo proxy que autentica você. Aqui não se aceitam tokens.',
  ],
  refused: ['You are not signed in', 'Você não entrou'],
  refusedWhy: {
    unnamed: (header: string) => [
      `The proxy sent no header ${header}, so nobody knows who you are. Let it sign people in, and send that header.`,
      `O proxy não enviou o cabeçalho ${header}, então não se sabe quem é você. Faça com que ele autentique as pessoas e envie esse cabeçalho.`,
    ],
    'unusable-name': (header: string) => [
      `The header ${header} of the proxy holds no usable name: one line of up to 200 visible characters, without commas.`,
      `O cabeçalho ${header} do proxy não traz um nome utilizável: uma linha de até 200 caracteres visíveis, sem vírgulas.`,
    ],
    rebound: () => [
      'A proxy on the same machine must address Portaria as 127.0.0.1 or localhost, and send the public name as X-Forwarded-Host.',
      'Um proxy na mesma máquina deve chamar o Portaria por 127.0.0.1 ou localhost e enviar o nome público em X-Forwarded-Host.',
    ],
  } satisfies Readonly<Record<'unnamed' | 'unusable-name' | 'rebound', (header: string) => Pair>>,
  forbidden: (name: string, role: Permission) => [
    `${name} does not have the role ${role}. PORTARIA_OPS_USERS of this Portaria grants roles.`,
    `${name} não tem o papel ${role}. PORTARIA_OPS_USERS deste Portaria concede os papéis.`,
  ],
} satisfies Pairs;

export const auditWords = {
  ...auditActions,
  lead: [
    'What operators did, newest first: changes, exports, personal data that was shown, sign-ins, rejected requests. Nothing here can be changed.',
    'O que os operadores fizeram, do mais novo ao mais antigo: mudanças, exportações, dados pessoais mostrados, entradas, pedidos rejeitados. Nada aqui pode ser alterado.',
  ],
  empty: [
    'Nobody has done anything yet. Pages with personal data masked are not recorded.',
    'Ninguém fez nada ainda. Páginas com dados pessoais ocultos não são registradas.',
  ],
  emptyFiltered: [
    'No entry matches. Remove a filter, or look further back.',
    'Nenhum registro corresponde. Remova um filtro ou procure mais atrás.',
  ],
  when: ['When', 'Quando'],
  who: ['Who', 'Quem'],
  about: ['About', 'Sobre'],
  subjectHint: ['d12, q3 or company:12', 'd12, q3 ou company:12'],
  nobody: ['unknown', 'desconhecido'],
  unmasked: ['personal data shown', 'dados pessoais mostrados'],
  times: (count: number) => [`${en.number(count)} times`, `${pt.number(count)} vezes`],
  places: {
    console: ['console', 'console'],
    api: ['API', 'API'],
    'command-line': ['command line', 'linha de comando'],
    serve: ['by setting', 'por configuração'],
  } satisfies Readonly<Record<AuditPlace, Pair>>,
  results: {
    done: ['done', 'feito'],
    failed: ['failed', 'falhou'],
    rejected: ['rejected', 'rejeitado'],
    unfinished: ['unfinished', 'inacabado'],
  } satisfies Readonly<Record<AuditResult, Pair>>,
  check: [
    'To check that no entry was changed or removed: ',
    'Para verificar que nenhum registro foi alterado ou removido: ',
  ],
} satisfies Pairs;
