/** `portaria init`: writes a project with a handler, a machine and a test. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { shellWord } from '../../../kernel/text/shell-word.ts';
import { jsonOption } from '../../options/list-options.ts';
import type { Session } from '../../session.ts';
import { projectScripts, type ProjectChoice } from './project-files.ts';
import { frameworks } from './server-file.ts';
import { writeProject, type WrittenProject } from './write-project.ts';

export function addInit(program: Command, session: Session): void {
  program
    .command('init')
    .description(
      'write a project with a handler, a machine, their test and what ships them; existing files are kept',
    )
    .argument('[folder]', 'the folder of the project, created if needed', '.')
    .option('--javascript', 'write JavaScript, not TypeScript', false)
    .addOption(
      new Option('--with <framework>', 'also an application that receives webhooks itself').choices(
        frameworks,
      ),
    )
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (given: string, { json, ...choice }: ProjectChoice & { readonly json: boolean }) => {
      const { cwd } = session.terminal;
      const project = writeProject(resolve(cwd, given), choice);
      const missing = project.kept.includes('package.json') ? missingInPackage(project) : [];
      await session.print(json ? jsonOf(project, missing) : textOf(project, missing, cwd));
    });
}

const epilogue = `
The project depends on the Portaria that runs: on its version if npm installed it from a registry, on the
tarball it was installed from, or on the folder of a clone. \`npm install\` in the project links a clone, so
types and tests work without \`npm pack\`.
`;

/** What a package.json that was kept needs, as commands of npm. */
function missingInPackage({ folder, portaria, ...choice }: WrittenProject): readonly string[] {
  const found = readPackage(join(folder, 'package.json'));
  return [
    ...(found.type === 'module' ? [] : ['npm pkg set type=module']),
    ...(found.dependencies?.['portaria'] === undefined ? [`npm install "portaria@${portaria}"`] : []),
    ...(!choice.javascript && found.devDependencies?.['typescript'] === undefined
      ? ['npm install --save-dev typescript @types/node']
      : []),
    ...Object.entries(projectScripts(choice)).flatMap(([name, command]) =>
      found.scripts?.[name] === undefined
        ? [`npm pkg set "scripts.${name}=${command.replaceAll('"', '')}"`]
        : [],
    ),
  ];
}

interface PackageFile {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A file that is no JSON object needs everything; npm will say what is wrong with it. */
function readPackage(file: string): PackageFile {
  try {
    // Drops a byte order mark, too.
    return (JSON.parse(readFileSync(file, 'utf8').trim()) as PackageFile | null) ?? {};
  } catch {
    return {};
  }
}

function jsonOf(
  { folder, name, portaria, written, kept }: WrittenProject,
  missing: readonly string[],
): string {
  return JSON.stringify({ folder, name, portaria, written, kept, needed: missing });
}

function textOf(
  { folder, portaria, written, kept }: WrittenProject,
  missing: readonly string[],
  cwd: string,
): string {
  const path = relative(cwd, folder);
  const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [
    ...(written.length === 0 ? [`Wrote nothing to ${folder}`] : [`Wrote to ${folder}`, ...indented(written)]),
    ...(kept.length === 0 ? [] : ['', 'Kept, because they exist', ...indented(kept)]),
    ...(kept.includes('tsconfig.json') && !allowsImports(folder)
      ? [
          '',
          'tsconfig.json needs "module": "nodenext", "allowImportingTsExtensions": true and "noEmit": true',
        ]
      : []),
    ...(portaria.startsWith('file:..')
      ? [
          '',
          `Portaria comes from outside of the project (${portaria}), where the Dockerfile and the workflow cannot reach it.`,
          'Before they run: copy its tarball to vendor/, npm install ./vendor/<tarball>, COPY vendor vendor before npm ci.',
        ]
      : []),
    '',
    'Next',
    ...indented([...(path === '' ? [] : [`cd ${shellWord(path)}`]), ...missing]),
    ...indented(
      kept.includes('package.json') && !missing.some((each) => each.includes('scripts.dev='))
        ? ['npm install', 'npm test']
        : ['npm install', 'npm run dev', 'npm test'],
    ),
  ].join('\n');
}

/** A tsconfig.json may hold comments, so it is searched, not parsed. */
function allowsImports(folder: string): boolean {
  return /"allowImportingTsExtensions"\s*:\s*true/.test(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
}
