/** The words of the audit and of single sign-on, in each language. */
import type { AuditPlace, AuditResult } from '../../store/audit.ts';
import { auditActions } from './audit-actions.ts';
import type { Permission } from '../../access/roles.ts';

const signOnEnglish = {
  byProxyOnly: 'Open the console through the proxy that signs you in. Tokens are not accepted here.',
  refused: 'You are not signed in',
  refusedWhy: {
    unnamed: (header) =>
      `The proxy sent no header ${header}, so nobody knows who you are. Let it sign people in, and send that header.`,
    'unusable-name': (header) =>
      `The header ${header} of the proxy holds no usable name: one line of up to 200 visible characters, without commas.`,
    rebound: () =>
      'A proxy on the same machine must address Portaria as 127.0.0.1 or localhost, and send the public name as X-Forwarded-Host.',
  } satisfies Readonly<Record<'unnamed' | 'unusable-name' | 'rebound', (header: string) => string>>,
  forbidden: (name: string, role: Permission): string =>
    `${name} does not have the role ${role}. PORTARIA_OPS_USERS of this Portaria grants roles.`,
};

const signOnPortuguese: typeof signOnEnglish = {
  byProxyOnly: 'Abra o console pelo proxy que autentica você. Aqui não se aceitam tokens.',
  refused: 'Você não entrou',
  refusedWhy: {
    unnamed: (header) =>
      `O proxy não enviou o cabeçalho ${header}, então não se sabe quem é você. Faça com que ele autentique as pessoas e envie esse cabeçalho.`,
    'unusable-name': (header) =>
      `O cabeçalho ${header} do proxy não traz um nome utilizável: uma linha de até 200 caracteres visíveis, sem vírgulas.`,
    rebound: () =>
      'Um proxy na mesma máquina deve chamar o Portaria por 127.0.0.1 ou localhost e enviar o nome público em X-Forwarded-Host.',
  },
  forbidden: (name, role) =>
    `${name} não tem o papel ${role}. PORTARIA_OPS_USERS deste Portaria concede os papéis.`,
};

/** Words about people whom a proxy signs in. */
export const signOnWords = { en: signOnEnglish, 'pt-BR': signOnPortuguese };

const auditEnglish = {
  ...auditActions.en,
  lead: 'What operators did, newest first: changes, personal data that was shown, sign-ins, rejected requests. Nothing here can be changed.',
  empty: 'Nobody has done anything yet. Reading with personal data masked is not recorded.',
  emptyFiltered: 'No entry matches. Remove a filter, or look further back.',
  when: 'When',
  who: 'Who',
  about: 'About',
  subjectHint: 'd12, q3 or company:12',
  nobody: 'unknown',
  unmasked: 'personal data shown',
  times: (count: number): string => `${count.toLocaleString('en')} times`,
  places: {
    console: 'console',
    api: 'API',
    'command-line': 'command line',
    serve: 'by setting',
  } satisfies Readonly<Record<AuditPlace, string>>,
  results: {
    done: 'done',
    failed: 'failed',
    rejected: 'rejected',
    unfinished: 'unfinished',
  } satisfies Readonly<Record<AuditResult, string>>,
  check: 'To check that no entry was changed or removed: ',
};

const auditPortuguese: typeof auditEnglish = {
  ...auditActions['pt-BR'],
  lead: 'O que os operadores fizeram, do mais novo ao mais antigo: mudanças, dados pessoais mostrados, entradas, pedidos recusados. Nada aqui pode ser alterado.',
  empty: 'Ninguém fez nada ainda. A leitura com dados pessoais ocultos não é registrada.',
  emptyFiltered: 'Nenhum registro corresponde. Remova um filtro ou procure mais atrás.',
  when: 'Quando',
  who: 'Quem',
  about: 'Sobre',
  subjectHint: 'd12, q3 ou company:12',
  nobody: 'desconhecido',
  unmasked: 'dados pessoais mostrados',
  times: (count) => `${count.toLocaleString('pt-BR')} vezes`,
  places: { console: 'console', api: 'API', 'command-line': 'linha de comando', serve: 'por configuração' },
  results: { done: 'feito', failed: 'falhou', rejected: 'recusado', unfinished: 'inacabado' },
  check: 'Para verificar que nenhum registro foi alterado ou removido: ',
};

/** Words of the page about what operators did. */
export const auditWords = { en: auditEnglish, 'pt-BR': auditPortuguese };
