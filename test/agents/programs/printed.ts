import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { printSettings } from '../../../src/cli/launch/print.ts'
import { type Agent, environmentOf, installed, PLATFORM } from '../agent.ts'

/** A program that is directed to a running server by what `millrace launch --print` writes. */
interface Printed {
  readonly title: string
  /** Its name for `launch --print`. */
  readonly name: string
  /** The file of the settings in the home; null for lines of a shell. */
  readonly file: string | null
  readonly program: string
  /** Whether Node runs the program. */
  readonly isScript: boolean
  args(prompt: string): readonly string[]
  readonly variables?: Readonly<Record<string, string>>
}

const MODEL = 'a-model'

const LINES = 'settings.sh'

const printed = ({ title, name, file, program, isScript, args, variables = {} }: Printed): Agent => ({
  title,
  program,
  method: 'POST',
  compaction: null,
  returned: [],
  fullContext: 0,
  async configure({ home, url }) {
    const pieces: string[] = []
    const streams = { stdout: { write: (piece: string) => pieces.push(piece) }, stderr: { write: () => true } }
    await printSettings(name, { url, model: MODEL }, streams as unknown as Parameters<typeof printSettings>[2], {})
    const path = `${home}/${file ?? LINES}`
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, pieces.join(''))
  },
  commandOf(setup, prompt) {
    const command = [...(isScript ? [process.execPath] : []), program, ...args(prompt)]
    // The lines of a shell may run the program themselves.
    const PATH = `${dirname(program)}:${process.env.PATH}`
    const script = file === null ? `. "${setup.home}/${LINES}" && exec "$@"` : 'exec "$@"'
    return {
      program: 'sh',
      args: ['-c', script, 'sh', ...command],
      env: { ...environmentOf(setup), PATH, MILLRACE_KEY: setup.key, ...variables },
      folder: setup.folder,
    }
  },
})

/** Programs that are no part of the package of these tests. They run where they are installed (`AGENTS`). */
export const PRINTED: readonly Agent[] = [
  printed({
    title: 'Copilot CLI',
    name: 'copilot',
    file: null,
    program: installed(`@github/copilot-${PLATFORM}/copilot`),
    isScript: false,
    args: (prompt) => ['-p', prompt, '--allow-all', '--no-color', '--disable-builtin-mcps'],
    variables: { COPILOT_AUTO_UPDATE: 'false', COPILOT_OFFLINE: 'true' },
  }),
  printed({
    title: 'Qwen Code',
    name: 'qwen',
    file: null,
    program: installed('@qwen-code/qwen-code/cli.js'),
    isScript: true,
    args: (prompt) => ['--auth-type', 'openai', '--yolo', '-p', prompt],
  }),
  printed({
    title: 'pi',
    name: 'pi',
    file: '.pi/agent/models.json',
    program: installed('@earendil-works/pi-coding-agent/dist/cli.js'),
    isScript: true,
    args: (prompt) => ['--provider', 'millrace', '--model', MODEL, '-p', prompt],
    variables: { PI_OFFLINE: '1' },
  }),
  printed({
    title: 'Kilo',
    name: 'opencode',
    file: '.config/kilo/kilo.json',
    program: installed(`@kilocode/cli-${PLATFORM}/bin/kilo`),
    isScript: false,
    args: (prompt) => ['run', '--auto', prompt],
  }),
  printed({
    title: 'Cline',
    name: 'cline',
    file: null,
    program: installed(`@cline/cli-${PLATFORM}/bin/cline`),
    isScript: false,
    args: (prompt) => ['--provider', 'openai-compatible', '--json', prompt],
  }),
  printed({
    title: 'Continue',
    name: 'continue',
    file: '.continue/config.yaml',
    program: installed('@continuedev/cli/dist/cn.js'),
    isScript: true,
    args: (prompt) => ['-p', prompt, '--auto'],
  }),
]
