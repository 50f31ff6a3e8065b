import { spawnSync } from 'node:child_process'
import type { Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'

const RUNS = 11

const ENTRIES = ['', '/core', '/fetch', '/server', '/ai-sdk']

/** Prints the processor time in ms that a process has used when the import is done. */
const programOf = (entry: string | null): string =>
  `${entry === null ? '' : `await import('millrace${entry}');`}` +
  'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'

/** Processor time in ms; null if the package in this folder does not have the entry. */
function measure(folder: string, entry: string | null): number | null {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', programOf(entry)], {
    cwd: folder,
    encoding: 'utf8',
  })
  return status === 0 ? Number(stdout) : null
}

/** The processor time of an empty Node and of each entry point, for the package installed in each folder, in turns. */
export function reportImports(folders: readonly string[], report: (figure: Figure) => void, runs = RUNS): void {
  const without = folders.find((folder) => measure(folder, '') === null)
  if (without !== undefined) throw new Error(`import('millrace') fails in ${without}: install the package there.`)
  for (const entry of [null, ...ENTRIES]) {
    const sides = folders.map((folder) => ({ folder, took: [] as number[] }))
    const present = sides.filter(({ folder }) => measure(folder, entry) !== null)
    for (let round = 0; round < runs; round += 1)
      for (const { folder, took } of inTurns(present, round)) took.push(measure(folder, entry) ?? Number.NaN)
    const name = entry === null ? 'node without a program' : `import 'millrace${entry}'`
    for (const { folder, took } of present)
      report({ case: `${name}, ${folder}, median`, value: median(took), unit: 'ms' })
  }
}
