/** Portuguese translations of the names of kinds. */

/** Titles and descriptions of the kinds of the specification. */
export const kindTitles: Readonly<Record<string, string>> = {
  'Company created': 'Empresa criada',
  'A company was added to the organization. Carries it in full.':
    'Uma empresa entrou na organização. Traz todos os seus dados.',
  'Company updated': 'Empresa alterada',
  'A company changed. Carries it in full.': 'Uma empresa mudou. Traz todos os seus dados.',
  'Company certificate updated': 'Certificado de empresa alterado',
  "A company's digital certificate changed. Carries the company in full.":
    'O certificado digital de uma empresa mudou. Traz todos os dados da empresa.',
  'Company SNE updated': 'SNE de empresa alterado',
  "A company's registration with the electronic notification system changed. Carries the company in full.":
    'A adesão de uma empresa ao sistema de notificação eletrônica mudou. Traz todos os dados da empresa.',
  'Company login connected': 'Login de empresa conectado',
  "A company's session with the portal became active.": 'A sessão de uma empresa com o portal ficou ativa.',
  'Company login disconnected': 'Login de empresa desconectado',
  "A company's session with the portal ended, for example expired.":
    'A sessão de uma empresa com o portal acabou, por exemplo expirou.',
  'Company login started': 'Login de empresa iniciado',
  'A login attempt of a company began.': 'Uma tentativa de login de uma empresa começou.',
  'Company login step updated': 'Etapa de login de empresa alterada',
  'A login attempt of a company entered a step, or repeats one that was rejected.':
    'Uma tentativa de login de uma empresa entrou em uma etapa, ou repete uma recusada.',
  'Company login succeeded': 'Login de empresa concluído',
  'A login attempt of a company succeeded.': 'Uma tentativa de login de uma empresa teve sucesso.',
  'Company login failed': 'Login de empresa falhou',
  'A login attempt of a company failed: rejected by the portal, or a technical error.':
    'Uma tentativa de login de uma empresa falhou: recusada pelo portal, ou por erro técnico.',
  'User login connected': 'Login de usuário conectado',
  "An individual user's session with the portal became active.":
    'A sessão de um usuário com o portal ficou ativa.',
  'User login disconnected': 'Login de usuário desconectado',
  "An individual user's session with the portal ended, for example expired.":
    'A sessão de um usuário com o portal acabou, por exemplo expirou.',
  'User login started': 'Login de usuário iniciado',
  'A login attempt of an individual user began.': 'Uma tentativa de login de um usuário começou.',
  'User login step updated': 'Etapa de login de usuário alterada',
  'A login attempt of an individual user entered a step, or repeats one that was rejected.':
    'Uma tentativa de login de um usuário entrou em uma etapa, ou repete uma recusada.',
  'User login succeeded': 'Login de usuário concluído',
  'A login attempt of an individual user succeeded.': 'Uma tentativa de login de um usuário teve sucesso.',
  'Console user created': 'Usuário do console criado',
  'A user of the console was created.': 'Um usuário do console foi criado.',
  'Console user updated': 'Usuário do console alterado',
  'A user of the console changed.': 'Um usuário do console mudou.',
  'Console user deleted': 'Usuário do console removido',
  'A user of the console was removed. Carries the removed user.':
    'Um usuário do console foi removido. Traz os dados do usuário removido.',
  'ANTT violation created': 'Infração da ANTT criada',
  'A violation of ANTT rules was found.': 'Foi encontrada uma infração às regras da ANTT.',
  'ANTT violation updated': 'Infração da ANTT alterada',
  'A violation of ANTT rules changed.': 'Uma infração às regras da ANTT mudou.',
  'ANTT violation payment slip created': 'Boleto de infração da ANTT criado',
  'A payment slip of an ANTT violation was requested.': 'O boleto de uma infração da ANTT foi pedido.',
  'ANTT violation payment slip updated': 'Boleto de infração da ANTT alterado',
  'A payment slip of an ANTT violation changed, for example was issued.':
    'O boleto de uma infração da ANTT mudou, por exemplo foi emitido.',
  'Traffic violation created': 'Infração de trânsito criada',
  'A traffic violation was found.': 'Foi encontrada uma infração de trânsito.',
  'Traffic violation updated': 'Infração de trânsito alterada',
  'A traffic violation changed.': 'Uma infração de trânsito mudou.',
  'Traffic violation payment slip created': 'Boleto de infração de trânsito criado',
  'A payment slip of a traffic violation was requested.': 'O boleto de uma infração de trânsito foi pedido.',
  'Traffic violation payment slip updated': 'Boleto de infração de trânsito alterado',
  'A payment slip of a traffic violation changed, for example was issued.':
    'O boleto de uma infração de trânsito mudou, por exemplo foi emitido.',
  'Driver indication created': 'Indicação de condutor criada',
  'A driver was indicated for a traffic violation.':
    'Um condutor foi indicado para uma infração de trânsito.',
  'Driver indication updated': 'Indicação de condutor alterada',
  'The indication of a driver, or the document to sign for it, changed.':
    'A indicação de um condutor, ou o documento a assinar para ela, mudou.',
  'Charge created': 'Cobrança criada',
  'A charge was found.': 'Foi encontrada uma cobrança.',
  'Charge updated': 'Cobrança alterada',
  'A charge changed.': 'Uma cobrança mudou.',
  'Charge payment slip created': 'Boleto de cobrança criado',
  'A payment slip of a charge was requested.': 'O boleto de uma cobrança foi pedido.',
  'Charge payment slip updated': 'Boleto de cobrança alterado',
  'A payment slip of a charge changed, for example was issued.':
    'O boleto de uma cobrança mudou, por exemplo foi emitido.',
};
