import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import ts from 'typescript-api'

/**
 * `node --import tsx tools/mutate.ts [--count N] [--seed S] [--commit C] [--common D] [--area FOLDER]` changes one
 * operator or constant of the source at a time, runs the nearest tests by the projects of `npm test`, and prints whether
 * one of them fails. `--common D` makes only changes whose lines the commits C and D both have, in whichever file, and
 * runs the tests near both places: `--commit C --common D` and `--commit D --common C` with one seed make the same
 * changes, so two tables tell whether the tests between them lost proof. `--list` prints the changes only.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    commit: { type: 'string' },
    common: { type: 'string' },
    area: { type: 'string' },
    list: { type: 'boolean' },
  },
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
  /** The area, the lines around the change and its place in its line: what two commits have in common. */
  readonly content: string
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

function mutantsOf(root: string, area: string, file: string, tests: readonly string[]): Mutant[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n').map((line) => line.trim())
  const found: Mutant[] = []
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(source) === 0) {
      const before = node.getText(source)
      const after = replacementOf(node, before)
      const start = node.getStart(source)
      const { line, character } = source.getLineAndCharacterOfPosition(start)
      const indent = (text.split('\n', line + 1)[line] ?? '').search(/\S/)
      const content = [area, ...lines.slice(Math.max(0, line - 1), line + 2), character - indent].join('\n')
      if (after !== undefined) found.push({ file, line: line + 1, start, end: node.end, before, after, content, tests })
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

/** The changes of an area by their content, without those whose content occurs more than once. */
function readArea(root: string, { source, tests }: (typeof AREAS)[number]): ReadonlyMap<string, Mutant> {
  const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('descriptions'),
  )
  const all = files.flatMap((name) => mutantsOf(root, source, source + name, testsOf(source + name, tests)))
  const counts = new Map<string, number>()
  for (const { content } of all) counts.set(content, (counts.get(content) ?? 0) + 1)
  return new Map(all.filter(({ content }) => counts.get(content) === 1).map((one) => [one.content, one]))
}

function choose(root: string, other: string): Mutant[] {
  const areas = AREAS.filter(({ source }) => values.area === undefined || source === values.area)
  return areas.flatMap((area, at) => {
    const others = readArea(other, area)
    const common = [...readArea(root, area).values()]
      .flatMap((one) => {
        const twin = others.get(one.content)
        const tests = [...new Set([...one.tests, ...(twin?.tests ?? [])])].sort()
        return twin === undefined ? [] : [{ ...one, tests: tests.filter((name) => existsSync(join(root, name))) }]
      })
      .sort((a, b) => (a.content < b.content ? -1 : 1))
    const share = Math.floor(count / areas.length) + (at < count % areas.length ? 1 : 0)
    process.stdout.write(`${area.source}\t${share} of ${common.length} changes\n`)
    const [chosen = []] = fc.sample(fc.shuffledSubarray(common, { minLength: share, maxLength: share }), {
      seed: seed + AREAS.indexOf(area),
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
/** Checks a commit out below the folder. */
function checkOut(commit: string, name: string): string {
  const root = join(folder, name)
  git('worktree', 'add', '--quiet', '--detach', root, commit)
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

const root = checkOut(values.commit ?? 'HEAD', 'tree')
const other = values.common === undefined ? root : checkOut(values.common, 'other')
try {
  const mutants = choose(root, other)
  const unchanged = [...new Set(mutants.flatMap(({ tests }) => tests))]
  if (values.list !== true && (await outcomeOf(root, unchanged, LONGEST_UNCHANGED_MS)) !== 'missed')
    throw new Error('the tests fail without a change')
  const counts = { caught: 0, missed: 0 }
  for (const { file, line, start, end, before, after, tests } of mutants) {
    const change = `${file}:${line}\t${before} → ${after}\n`
    if (values.list === true) {
      process.stdout.write(change)
      continue
    }
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.slice(0, start) + after + text.slice(end))
    const outcome = await outcomeOf(root, tests)
    writeFileSync(path, text)
    counts[outcome === 'missed' ? 'missed' : 'caught'] += 1
    process.stdout.write(`${outcome}\t${change}`)
  }
  if (values.list !== true)
    process.stdout.write(`${counts.caught} of ${mutants.length} changes are caught, seed ${seed}\n`)
} finally {
  for (const tree of new Set([root, other])) git('worktree', 'remove', '--force', tree)
  rmSync(folder, { recursive: true })
}
