import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import type { TestProject } from 'vitest/node'

/** Packs the package and installs it in a folder with the programs, once for all tests. */

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with the package, the programs and the examples. */
    room: string
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))

function npm(args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Returns the path of the package. `npm run test:runtimes` builds it, unless PACKED names an existing one. */
function pack(folder: string): string {
  const [name = ''] = npm(['pack', '--silent', '--pack-destination', folder]).trim().split('\n').slice(-1)
  return join(folder, name)
}

/** The dependencies are those of the checkout, as links. */
function linkDependencies(modules: string): void {
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== 'millrace') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
}

function writeExamples(room: string): void {
  const folder = join(ROOT, 'examples')
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
    const { code } = transformSync(readFileSync(join(folder, name), 'utf8'), { loader: 'ts' })
    writeFileSync(join(room, name.replace(/\.ts$/, '.mjs')), code)
  }
}

export default function setup(project: TestProject): () => void {
  const room = mkdtempSync(join(tmpdir(), 'millrace-runtimes-'))
  const modules = join(room, 'node_modules')
  mkdirSync(modules)
  execFileSync('tar', ['xzf', process.env.PACKED || pack(room), '-C', room])
  cpSync(join(room, 'package'), join(modules, 'millrace'), { recursive: true })
  // The package has only the fixtures that it reads itself.
  cpSync(join(ROOT, 'fixtures'), join(room, 'fixtures'), { recursive: true })
  linkDependencies(modules)
  cpSync(PROGRAMS, room, { recursive: true })
  writeExamples(room)
  writeFileSync(
    join(room, 'package.json'),
    '{"name":"room","private":true,"type":"module","dependencies":{"millrace":"*"}}',
  )
  project.provide('room', room)
  return () => rmSync(room, { recursive: true, force: true })
}
