import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import ts from 'typescript-api'

/**
 * `node --import tsx tools/mutate.ts [--count N] [--seed S] [--commit C]` changes one operator or constant of the source
 * at a time, runs the nearest tests by the projects of `npm test`, and prints whether one of them fails. The same seed
 * on two commits with the same source makes the same changes, so two tables tell whether the tests between them lost
 * proof.
 */
const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, commit: { type: 'string' } },
})
const count = Number(values.count ?? 50)
const seed = Number(values.seed ?? 1)

/** The wires of the repository's oldest contracts: one is translated field by field, the other block by block. */
const AREAS: readonly { readonly source: string; readonly tests: readonly string[] }[] = [
  { source: 'src/responses/', tests: ['test/responses/', 'test/engine/turns.test.ts', 'test/fixtures.test.ts'] },
  { source: 'src/wires/openai-chat/', tests: ['test/wires/openai-chat/'] },
  { source: 'src/wires/anthropic-messages/', tests: ['test/wires/anthropic-messages/'] },
  { source: 'src/gateway/', tests: [] },
]
/** Folders of the gateway whose tests have another name. */
const GATEWAY_TESTS: Readonly<Record<string, readonly string[]>> = {
  counts: ['test/host/clients/prompt-cache.test.ts', 'test/host/telemetry/'],
  endpoints: ['test/host/server/', 'test/host/clients/'],
  exchange: ['test/host/server/'],
  routing: ['test/host/server/'],
  body: ['test/host/server/'],
}

interface Mutant {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
  readonly tests: readonly string[]
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '+=': '-=',
  '*': '+',
}

/** Returns what replaces a token, or undefined where a change of it is none of an operator or a constant. */
function replacementOf(node: ts.Node, text: string): string | undefined {
  if (ts.isTypeNode(node.parent) || ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return
  if (ts.isBinaryExpression(node.parent) && node.parent.operatorToken === node) return OPERATORS[text]
  if (ts.isNumericLiteral(node)) return `${Number(text.replaceAll('_', '')) + 1}`
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false'
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true'
  if (ts.isStringLiteral(node) && node.text !== '') return JSON.stringify(`${node.text}x`)
  return
}

function mutantsOf(root: string, file: string, tests: readonly string[]): Mutant[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Mutant[] = []
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(source) === 0) {
      const before = node.getText(source)
      const after = replacementOf(node, before)
      const start = node.getStart(source)
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      if (after !== undefined) found.push({ file, line, start, end: node.end, before, after, tests })
    }
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return found
}

function testsOf(file: string, tests: readonly string[]): readonly string[] {
  if (tests.length > 0) return tests
  const folder = file.split('/')[2] ?? ''
  return [`test/gateway/`, ...(GATEWAY_TESTS[folder] ?? [`test/host/${folder.replace(/\.ts$/, '')}`])]
}

function choose(root: string): Mutant[] {
  return AREAS.flatMap(({ source, tests }, at) => {
    const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('descriptions'))
      .sort()
    const all = files.flatMap((name) => mutantsOf(root, source + name, testsOf(source + name, tests)))
    const share = Math.floor(count / AREAS.length) + (at < count % AREAS.length ? 1 : 0)
    const [chosen = []] = fc.sample(fc.shuffledSubarray(all, { minLength: share, maxLength: share }), {
      seed: seed + at,
      numRuns: 1,
    })
    return chosen
  })
}

const LONGEST_MS = 240_000
/** All tests of all areas, with the modules of a new folder. */
const LONGEST_UNCHANGED_MS = 1_200_000

/** Runs the tests in a group of processes of their own, because a changed loop may never end. */
function outcomeOf(
  root: string,
  tests: readonly string[],
  longest = LONGEST_MS,
): Promise<'caught' | 'missed' | 'caught: no end'> {
  const child = spawn('npm', ['test', '--', ...tests, '--bail=1', '--maxWorkers=2', '--testTimeout=60000'], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
  })
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve('caught: no end')
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, longest)
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? 'missed' : 'caught')
    })
  })
}

const repository = fileURLToPath(new URL('..', import.meta.url))
const git = (...args: string[]): void => {
  const { status } = spawnSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`git ${args.join(' ')} fails`)
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-mutants-'))
const root = join(folder, 'tree')
git('worktree', 'add', '--detach', root, values.commit ?? 'HEAD')
symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
try {
  const mutants = choose(root)
  const unchanged = [...new Set(mutants.flatMap(({ tests }) => tests))]
  if ((await outcomeOf(root, unchanged, LONGEST_UNCHANGED_MS)) !== 'missed')
    throw new Error('the tests fail without a change')
  const counts = { caught: 0, missed: 0 }
  for (const { file, line, start, end, before, after, tests } of mutants) {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.slice(0, start) + after + text.slice(end))
    const outcome = await outcomeOf(root, tests)
    writeFileSync(path, text)
    counts[outcome === 'missed' ? 'missed' : 'caught'] += 1
    process.stdout.write(`${outcome}\t${file}:${line}\t${before} → ${after}\n`)
  }
  process.stdout.write(`${counts.caught} of ${mutants.length} changes are caught, seed ${seed}\n`)
} finally {
  git('worktree', 'remove', '--force', root)
  rmSync(folder, { recursive: true })
}
