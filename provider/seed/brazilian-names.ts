/** Frequent ones, for made-up people. */
export const givenNames = words(
  'Adriana Alexandre Aline Anderson Antônio Beatriz Bruno Camila Carlos Célia Cláudio Cristiane Daniel Débora ' +
    'Diego Edson Eduardo Elaine Fábio Fernanda Flávio Francisca Gabriel Gilberto Gustavo Helena Ivone João ' +
    'Jorge José Juliana Larissa Leandro Luciana Luís Marcelo Márcia Marcos Maria Mateus Mônica Nilton ' +
    'Patrícia Paulo Priscila Rafael Raimundo Renata Ricardo Roberto Rodrigo Rosângela Sandra Sebastião ' +
    'Sérgio Simone Tatiana Thiago Vanessa Wagner',
);

export const surnames = words(
  'Almeida Alves Andrade Araújo Barbosa Barros Batista Borges Campos Cardoso Carvalho Castro Cavalcanti ' +
    'Correia Costa Cunha Dias Duarte Farias Fernandes Ferreira Figueiredo Freitas Gomes Gonçalves Lima Lopes ' +
    'Machado Marques Martins Medeiros Melo Mendes Miranda Monteiro Moraes Moreira Moura Nascimento Nogueira ' +
    'Oliveira Pereira Pinto Prado Ramos Reis Ribeiro Rocha Rodrigues Sales Santana Santos Silva Silveira ' +
    'Soares Souza Tavares Teixeira Vasconcelos Vieira',
);

/** What some surnames have before them. */
export const particles: Readonly<Record<string, readonly [string]>> = {
  Costa: ['da'],
  Cunha: ['da'],
  Freitas: ['de'],
  Melo: ['de'],
  Nascimento: ['do'],
  Oliveira: ['de'],
  Reis: ['dos'],
  Rocha: ['da'],
  Santos: ['dos'],
  Silva: ['da'],
  Souza: ['de'],
};

function words(text: string): readonly [string, ...string[]] {
  const [first = '', ...others] = text.split(' ');
  return [first, ...others];
}
