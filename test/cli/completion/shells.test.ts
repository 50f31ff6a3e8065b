import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { runCommand } from '../run-command.ts'

/** The completions in the real shells of this machine. */

const run = promisify(execFile)
const isPresent = (shell: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, output, complaint } = await runCommand(['completion', shell])
    expect([code, complaint]).toEqual([0, ''])
    await writeFile(join(folder, shell), output)
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** Returns the words that a shell offers at the end of a line. */
type Complete = (line: string) => Promise<readonly string[]>

const inBash: Complete = async (line) => {
  const words = line.split(/ |(=)/).filter((word) => word !== undefined)
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`
  return linesOf((await run('bash', ['-c', script, 'bash', join(folder, 'bash'), ...words])).stdout)
}

const inZsh: Complete = async (line) => {
  const program = fileURLToPath(new URL('complete.zsh', import.meta.url))
  const { stdout } = await run('zsh', ['-f', program, join(folder, 'zsh'), line])
  return [...stdout.matchAll(/word:(\S+)/g)].map(([, word = '']) => word)
}

const inFish: Complete = async (line) => {
  const script = 'source $argv[1]; complete -C $argv[2]'
  const { stdout } = await run('fish', ['--no-config', '-c', script, join(folder, 'fish'), line])
  return linesOf(stdout).map((one) => one.split('\t', 1)[0] ?? '')
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((one) => one !== '')

const SHELLS: readonly (readonly [name: string, complete: Complete])[] = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
]

describe.each(SHELLS.filter(([name]) => isPresent(name)))('the completion of %s', (name, complete) => {
  it('offers commands, options and their values', async () => {
    const offered = async (line: string): Promise<readonly string[]> => (await complete(line)).toSorted()
    const names = [...COMMANDS.keys()]
    expect(await offered('millrace ')).toEqual(expect.arrayContaining([...names, 'help']))
    expect(await offered('millrace tra')).toEqual(['trace', 'translate'])
    expect(await offered('millrace help ')).toEqual(expect.arrayContaining(names))
    expect(await offered('millrace translate --from ')).toEqual(Object.keys(WIRES).toSorted())
    expect(await offered('millrace translate --vendor gro')).toEqual(['groq'])
    expect(await offered('millrace check --dialect=')).toEqual(
      name === 'fish' ? ['--dialect=beta', '--dialect=openai'] : ['beta', 'openai'],
    )
    expect(await offered('millrace launch co')).toEqual(['codex', 'continue', 'copilot'])
    expect(await offered('millrace vendors --')).toEqual(['--help', '--json', '--set', '--wire'])
  })
})
