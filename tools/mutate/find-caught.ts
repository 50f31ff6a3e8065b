import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FailedFiles, runTests } from './run-tests.ts'
import type { NumberedChange } from './with-changes.ts'

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

/** Files of tests in one process: a change that leaves a trace there spoils what follows in it. */
const FILES_AT_ONCE = 24
/** Changes that the tests run with at once, because most of these are missed. */
const CHANGES_AT_ONCE = 8

interface Found {
  readonly caught: ReadonlySet<number>
  readonly missed: ReadonlySet<number>
}

/**
 * Finds the changes by which a test fails, in three rounds. Each test runs with each change that it reaches, in its own
 * process. Then the tests of the folder run with each change that is left, among them those of values that modules
 * compute when they are loaded. Then all tests run with several changes at once, and the files that fail with each one.
 * Files that fail without any change prove nothing.
 */
export async function findCaught(root: string, changes: readonly NumberedChange[], endsAt: number): Promise<Found> {
  const caught = new Set<number>()
  const missed = new Set<number>()
  const isTime = (): boolean => performance.now() < endsAt
  const left = (): NumberedChange[] => changes.filter(({ number }) => !caught.has(number) && !missed.has(number))
  const say = (round: string): void => {
    process.stdout.write(`${round}: ${caught.size} of ${changes.length} caught, ${missed.size} missed\n`)
  }

  for (const files of inGroups(testFiles(root), FILES_AT_ONCE)) {
    if (!isTime()) break
    for (const number of await caughtOneByOne(root, files, caught)) caught.add(number)
    say('test by test')
  }
  const harmless = new Set(await runTests({ root, files: [] }))
  const fails = (files: FailedFiles): boolean => files === undefined || files.some((file) => !harmless.has(file))
  for (const change of left()) {
    if (!isTime()) break
    const args = harmless.size === 0 ? ['--bail=1'] : []
    const files = nearTestsOf(root, change.file)
    if (fails(await runTests({ root, files, env: made([change]), args }))) caught.add(change.number)
  }
  say('tests of the folder')
  for (const group of inGroups(left(), CHANGES_AT_ONCE)) {
    if (!isTime()) break
    const failed = await runTests({ root, files: [], env: made(group) })
    const files = failed?.filter((file) => !harmless.has(file)) ?? []
    for (const change of group) {
      const alone =
        failed !== undefined && files.length === 0 ? [] : await runTests({ root, files, env: made([change]) })
      ;(fails(alone) ? caught : missed).add(change.number)
    }
    say('all tests')
  }
  return { caught, missed }
}

const made = (changes: readonly NumberedChange[]): Record<string, string> => ({
  CHANGES: changes.map(({ number }) => number).join(','),
})

async function caughtOneByOne(root: string, files: readonly string[], before: ReadonlySet<number>): Promise<number[]> {
  const found = join(root, 'found.jsonl')
  writeFileSync(found, [...before].map((number) => `{"caught":${number},"test":""}\n`).join(''))
  await runTests({ root, files, env: { CHANGES_FOUND: found }, args: ['--config', 'tools/mutate/vitest.config.ts'] })
  return readFileSync(found, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly caught: number }).caught)
}

function testFiles(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`)
    .sort()
}

const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
