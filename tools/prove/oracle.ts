import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../../test/bundled-program.ts'
import { runNode } from './run-node.ts'

/**
 * `node --import tsx tools/prove/oracle.ts streams|bodies` translates every recording to both dialects, streamed and
 * whole, and compares the outputs with an independent reader of the recordings: `compare.mjs` and `bodies.mjs` in the
 * folder `probe` beside the recordings. Without such a folder there is nothing to compare.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RECORDINGS = resolve(ROOT, process.env.RECORDINGS_DIR ?? '../shared/recordings')
const PROBE = resolve(RECORDINGS, '../probe')
const SCRIPTS: Readonly<Record<string, string>> = { streams: 'compare.mjs', bodies: 'bodies.mjs' }
const FORMS = [
  ['--to', 'openai'],
  ['--to', 'beta'],
  ['--to', 'openai', '--collect'],
] as const

/** `file`: relative to the recordings. */
interface Listed {
  readonly wire: string
  readonly vendor: string
  readonly file: string
}

function listed(script: string, common: readonly string[]): readonly Listed[] {
  const { stdout } = runNode([script, ...common, '--list'], PROBE)
  return stdout.split('\n').flatMap((line) => {
    const [wire = '', vendor = '', file = ''] = line.split('\t')
    return file === '' ? [] : [{ wire, vendor, file }]
  })
}

function translateAll(program: string, files: readonly Listed[], output: string): void {
  for (const group of groupsOf(files).values()) {
    const { wire, vendor } = group[0] as Listed
    const folder = join(output, wire)
    mkdirSync(folder, { recursive: true })
    const command = [program, 'translate', '--from', wire, '--vendor', vendor]
    for (const form of FORMS) {
      const paths = group.map(({ file }) => resolve(RECORDINGS, file))
      const { stderr } = runNode([...command, ...form, '--out', folder, ...paths], ROOT)
      const failures = stderr.split('\n').filter((line) => line.includes('error:'))
      if (failures.length > 0) process.stderr.write(`${failures.join('\n')}\n`)
    }
  }
}

function groupsOf(files: readonly Listed[]): ReadonlyMap<string, readonly Listed[]> {
  const groups = new Map<string, Listed[]>()
  for (const one of files) {
    const key = `${one.wire} ${one.vendor}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return groups
}

const script = SCRIPTS[process.argv[2] ?? '']
if (script === undefined) throw new Error('expected streams or bodies')
if (!existsSync(join(PROBE, script))) {
  process.stdout.write(`There is no ${join(PROBE, script)}: nothing was compared.\n`)
} else {
  const output = mkdtempSync(join(tmpdir(), 'millrace-oracle-'))
  const common = ['--recordings', RECORDINGS, '--index', join(RECORDINGS, 'INDEX.tsv'), '--split', 'open']
  const program = await bundleProgram()
  translateAll(program.path, listed(script, common), output)
  await program.remove()
  const { status, stdout, stderr } = runNode([script, ...common, '--outputs', output], PROBE)
  process.stdout.write(stdout + stderr)
  rmSync(output, { recursive: true })
  process.exitCode = status ?? 1
}
