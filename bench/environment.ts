import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import type { Machine } from './results.ts'

export const machine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: `${type()} ${release().replace(/-.*/, '')}`,
})

const git = (...words: readonly string[]): string => execFileSync('git', words, { encoding: 'utf8' }).trim()

/** Files that a run writes itself. */
const WRITTEN = ['bench/results.json', 'docs/benchmarks.md', 'docs/benchmark-tables.md', 'docs/assets']

export function commitName(): string {
  const changed = git('status', '--porcelain', '--', '.', ...WRITTEN.map((file) => `:!${file}`))
  return `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : ', changed'}`
}

export const nodeVersion = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()

/** The versions of packages that a program in this folder imports: the nearest ones, as Node resolves them. */
export const versionsOf = (names: readonly string[], folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.map((name) => {
      const [file] = [`${folder}/node_modules`, 'node_modules']
        .map((modules) => `${modules}/${name}/package.json`)
        .filter(existsSync)
      if (file === undefined) throw new Error(`The package ${name} is not installed.`)
      return [name, (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version]
    }),
  )

/** How many processes wanted to run, on average over the last minute. */
export const load = (): number => Number((loadavg()[0] ?? 0).toFixed(1))
