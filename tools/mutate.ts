import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import ts from 'typescript-api'

/**
 * `node --import tsx tools/mutate.ts [--count N] [--seed S] [--minutes M] [--area FOLDER] [--commit C] [--common D]`
 * changes one operator or constant of the source at a time, and prints whether a test of `npm test` fails: first the
 * tests of its folder, and if they all pass, every test that imports the file. Texts for people are left out. It ends
 * with a table by folder, and the exit code is 1 if a change is missed that `mutate-survivors.json` does not judge:
 * `equivalent` (no test can tell), `text` (for people), or `gap` (a test is missing). `--minutes` begins no further
 * change after so many minutes. `--common D` makes only changes whose lines the commits C and D both have, in whichever
 * file: `--commit C --common D` and `--commit D --common C` with one seed make the same changes, so two tables tell
 * whether the tests between them lost proof. `--list` prints the changes only.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    commit: { type: 'string' },
    common: { type: 'string' },
    area: { type: 'string' },
    minutes: { type: 'string' },
    list: { type: 'boolean' },
  },
})
const count = Number(values.count ?? 50)
const seed = Number(values.seed ?? 1)
const longestMinutes = Number(values.minutes ?? Number.POSITIVE_INFINITY)

/** The folders of the source, and the least part of their changes that tests should catch. */
const AREAS: readonly { readonly source: string; readonly least: number }[] = [
  ...['responses', 'engine', 'wires', 'framing', 'models', 'validation'].map((name) => ({
    source: `src/${name}/`,
    least: 0.85,
  })),
  ...['gateway', 'host', 'fetch', 'observability', 'search'].map((name) => ({ source: `src/${name}/`, least: 0.75 })),
]
/** Folders whose tests are elsewhere. */
const TESTS_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'src/responses': ['test/engine/turns.test.ts', 'test/fixtures.test.ts'],
  'src/gateway/counts': ['test/host/clients/prompt-cache.test.ts', 'test/host/telemetry/'],
  'src/gateway/endpoints': ['test/host/server/', 'test/host/clients/'],
  'src/gateway/exchange': ['test/host/server/'],
  'src/gateway/routing': ['test/host/server/'],
  'src/gateway/body': ['test/host/server/'],
  'src/search': ['test/host/search/'],
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
  readonly area: string
  /** The place in the sample of its area. */
  readonly place?: number
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
  if (ts.isStringLiteral(node) && node.text !== '' && !isForPeople(node)) return JSON.stringify(`${node.text}x`)
  return
}

/** Members whose texts only people read. */
const FOR_PEOPLE = /^(?:about|description|source|summary|title|why)$/

/** A sentence of an error, a description or a log, or a reference. Words of a protocol have no spaces. */
const isForPeople = ({ text, parent }: ts.StringLiteral): boolean =>
  /\w \w/.test(text) ||
  /#\d|^https?:/.test(text) ||
  (ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name) && FOR_PEOPLE.test(parent.name.text))

function mutantsOf(root: string, area: string, file: string): Mutant[] {
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
      if (after !== undefined) found.push({ file, line: line + 1, start, end: node.end, before, after, content, area })
    }
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return found
}

/** The tests of the folder of a file, or of the nearest folder above it that has some. */
function nearTestsOf(root: string, file: string): readonly string[] {
  const parts = file.split('/').slice(1, -1)
  for (let length = parts.length; length > 0; length -= 1) {
    const folder = parts.slice(0, length).join('/')
    const host = folder.replace(/^gateway\//, 'host/')
    const found = [`test/${folder}/`, ...(host === folder ? [] : [`test/${host}/`])]
      .concat(TESTS_ELSEWHERE[`src/${folder}`] ?? [])
      .filter((name) => existsSync(join(root, name)))
    if (found.length > 0) return found
  }
  return []
}

/** The changes of an area by their content, without those whose content occurs more than once. */
function readArea(root: string, { source }: (typeof AREAS)[number]): ReadonlyMap<string, Mutant> {
  const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('descriptions'),
  )
  const all = files.flatMap((name) => mutantsOf(root, source, source + name))
  const counts = new Map<string, number>()
  for (const { content } of all) counts.set(content, (counts.get(content) ?? 0) + 1)
  return new Map(all.filter(({ content }) => counts.get(content) === 1).map((one) => [one.content, one]))
}

function choose(root: string, other: string): Mutant[] {
  const areas = AREAS.filter(({ source }) => values.area === undefined || source === values.area)
  return areas.flatMap((area, at) => {
    const others = readArea(other, area)
    const common = [...readArea(root, area).values()]
      .filter(({ content }) => others.has(content))
      .sort((a, b) => (a.content < b.content ? -1 : 1))
    const share = Math.floor(count / areas.length) + (at < count % areas.length ? 1 : 0)
    process.stdout.write(`${area.source}\t${share} of ${common.length} changes\n`)
    const [chosen = []] = fc.sample(fc.shuffledSubarray(common, { minLength: share, maxLength: share }), {
      seed: seed + AREAS.indexOf(area),
      numRuns: 1,
    })
    return chosen.map((one, place) => ({ ...one, area: area.source, place }))
  })
}

const LONGEST_MS = 900_000

type Caught = 'caught' | 'missed' | 'caught: no end'

/** Runs tests in a group of processes of their own, because a changed loop may never end. */
function outcomeOf(root: string, tests: readonly string[]): Promise<Caught> {
  const child = spawn(
    'npx',
    ['vitest', ...tests, '--project', 'unit', '--project', 'host', '--bail=1', '--testTimeout=60000'],
    { cwd: root, stdio: 'ignore', detached: true },
  )
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve('caught: no end')
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, LONGEST_MS)
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? 'missed' : 'caught')
    })
  })
}

/** The tests of the folder find most changes in a fraction of the time of all tests that import the file. */
async function outcomeOfChange(root: string, { file }: Mutant): Promise<Caught> {
  const near = nearTestsOf(root, file)
  const outcome = near.length === 0 ? 'missed' : await outcomeOf(root, ['run', '--passWithNoTests', ...near])
  return outcome === 'missed' ? outcomeOf(root, ['related', file, '--run', '--passWithNoTests']) : outcome
}

/** Judged by hand: why a change is missed, under its file, the line before the change and its replacement. */
const SURVIVORS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('mutate-survivors.json', import.meta.url), 'utf8'),
)
const keyOf = ({ file, content, before, after }: Mutant): string =>
  [file, content.split('\n').at(-2) ?? '', `${before} → ${after}`].join(' | ')

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
  const counts = new Map(AREAS.map(({ source }) => [source, { caught: 0, missed: 0, judged: 0 }]))
  const startedAt = performance.now()
  // The areas take turns, so that a run that ends early has some of each.
  const inTurns = mutants.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
  for (const mutant of inTurns) {
    const { file, line, start, end, before, after } = mutant
    const change = `${file}:${line}\t${before} → ${after}\n`
    if (values.list === true || performance.now() - startedAt > longestMinutes * 60_000) {
      if (values.list === true) process.stdout.write(change)
      continue
    }
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.slice(0, start) + after + text.slice(end))
    const outcome = await outcomeOfChange(root, mutant)
    writeFileSync(path, text)
    const judged = SURVIVORS[keyOf(mutant)]
    const count = counts.get(mutant.area) ?? { caught: 0, missed: 0, judged: 0 }
    if (outcome !== 'missed') count.caught += 1
    else if (judged === undefined) count.missed += 1
    else count.judged += 1
    process.stdout.write(`${outcome}${judged === undefined || outcome !== 'missed' ? '' : `: ${judged}`}\t${change}`)
    if (outcome === 'missed' && judged === undefined) process.stdout.write(`  ${JSON.stringify(keyOf(mutant))}\n`)
  }
  if (values.list !== true) {
    process.stdout.write('\n| folder | changes | caught | judged | missed | goal |\n|---|---|---|---|---|---|\n')
    for (const { source, least } of AREAS) {
      const { caught, missed, judged } = counts.get(source) ?? { caught: 0, missed: 0, judged: 0 }
      const all = caught + missed + judged
      if (all > 0)
        process.stdout.write(`| ${source} | ${all} | ${caught} | ${judged} | ${missed} | ${Math.ceil(least * all)} |\n`)
      if (missed > 0) process.exitCode = 1
    }
    const all = [...counts.values()]
    const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((so, one) => so + of(one), 0)
    const made = sum(({ caught, missed, judged }) => caught + missed + judged)
    process.stdout.write(`${sum(({ caught }) => caught)} of ${made} changes are caught, seed ${seed}\n`)
  }
} finally {
  for (const tree of new Set([root, other])) git('worktree', 'remove', '--force', tree)
  rmSync(folder, { recursive: true })
}
