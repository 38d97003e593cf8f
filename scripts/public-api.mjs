#!/usr/bin/env node
/**
 * Writes scripts/public-api.txt: what each entry point of the package exports, and every declaration that these names
 * lead to, from the types of the build. With `--check`, it fails when the two differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { entryPoints } from './bootstrap/entry-points.mjs';
import { dist, root } from './bootstrap/paths.mjs';

const listing = join(root, 'scripts', 'public-api.txt');
/** Behind `portaria.store` and `portaria.registry`, which docs/library.md excludes. */
const INSIDE = /^src[/\\](store|handle[/\\]load)[/\\]/;
/** The tables of the contract are as long as the specification: of a longer type, the names of its members are listed. */
const MAX_LENGTH = 8_000;

const entries = entryPoints(dist);
const program = ts.createProgram(
  entries.map(({ file }) => file),
  { module: ts.ModuleKind.NodeNext, noEmit: true, skipLibCheck: true, types: [] },
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });

/** @type {Set<ts.Symbol>} Grows while it is read. */
const reached = new Set();
const exported = entries.map(({ name, file }) => `// ${name}\nexport { ${exportsOf(file).join(', ')} };\n`);
/** @type {Set<string>} */
const declared = new Set();
for (const symbol of reached) for (const text of declarationsOf(symbol)) declared.add(text);
const text = [...exported, ...[...declared].sort(), ''].join('\n');

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!options.check) writeFileSync(listing, text);
else if (text !== readFileSync(listing, 'utf8')) {
  console.error(
    'public API: run `node scripts/public-api.mjs`; CONTRIBUTING.md says what each difference means',
  );
  process.exit(1);
}

/**
 * @param {string} file
 * @returns {string[]}
 */
function exportsOf(file) {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is missing: run \`npm run build\``);
  const symbols = checker.getExportsOfModule(module);
  for (const symbol of symbols) reached.add(withoutAlias(symbol));
  return symbols.map(({ name }) => name).sort();
}

/**
 * The declarations of a name in the build, without comments. Adds the names in them to those that are reached.
 *
 * @param {ts.Symbol} symbol
 */
function declarationsOf({ declarations = [] }) {
  return declarations.filter(isOurs).map((declaration) => {
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const printed = print(statement);
    if (printed.length > MAX_LENGTH && ts.isVariableDeclaration(declaration))
      return `declare const ${declaration.name.getText()}: ${outline(declaration.type)};`;
    reach(statement);
    // Where a type is declared is not of its users' concern.
    return printed.replaceAll(/import\("[^"]+"\)[.]|^export /gmu, '');
  });
}

/** @param {ts.Node} node */
function print(node) {
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
}

/**
 * The names of the members of a type, as deep as they are types with members.
 *
 * @param {ts.TypeNode | undefined} type
 * @returns {string}
 */
function outline(type) {
  if (type === undefined || !ts.isTypeLiteralNode(type)) return '…';
  return `{\n${type.members.map((member) => `    ${member.name?.getText()}`).join('\n')}\n}`;
}

/** @param {ts.Node} node */
function reach(node) {
  if (ts.isIdentifier(node)) {
    const symbol = checker.getSymbolAtLocation(node);
    const named = symbol && withoutAlias(symbol);
    if (named?.declarations?.some(isTopLevel)) reached.add(named);
  }
  ts.forEachChild(node, reach);
}

/** @param {ts.Symbol} symbol */
function withoutAlias(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** @param {ts.Node} declaration */
function isTopLevel(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  // A whole module has no parent.
  const { parent } = /** @type {Partial<ts.Node>} */ (statement);
  return parent !== undefined && ts.isSourceFile(parent);
}

/** @param {ts.Node} declaration */
function isOurs(declaration) {
  const path = relative(dist, declaration.getSourceFile().fileName);
  return !path.startsWith('..') && !INSIDE.test(path);
}
