import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { checkAsync } from '../property.ts'
import { runCommand } from './run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

/** Options that write files get a folder of this test. */
const OUTPUTS: ReadonlySet<string> = new Set(['out', 'to', 'junit', 'badge'])
const flags = [...COMMANDS.values()].flatMap(({ options }) => Object.keys(options)).filter((name) => !OUTPUTS.has(name))

const word = fc.oneof(
  fc.constantFrom(...COMMANDS.keys(), 'help', '-', '--', '', '--help', '-h', '--version', '-v', '-vh', '---', '-x'),
  fc.constantFrom(
    'openai',
    'openai-chat',
    'groq',
    'json',
    'debug',
    '__proto__',
    'constructor',
    '--__proto__=a',
    '--constructor',
  ),
  fc.constantFrom(
    fixture('openai-chat/hello.stream.sse'),
    fixture('openai-chat/cut-off.stream.sse'),
    fixture('bedrock-converse/hello.stream.bin'),
    fixture('openai-chat/hello.request.json'),
    '/none.sse',
    folder,
  ),
  fc.constantFrom(...flags).map((name) => `--${name}`),
  fc.tuple(fc.constantFrom(...flags), fc.string()).map(([name, value]) => `--${name}=${value}`),
  fc.constantFrom('--to=openai', '--to=beta', `--to=${folder}/out`, `--out=${folder}/out`),
  anyCodePoints().filter((text) => !/^--?(?:o|t)/.test(text)),
)

/** A server or an agent would start, or a file be written: a second configuration is an error of the call. */
const REFUSED: readonly string[] = ['--config=/none.json', '--config=/none.json']

const isStarted = (name: string | undefined): boolean =>
  name === 'launch' || name === 'init' || (name !== undefined && COMMANDS.get(name)?.isServer === true)

it('no arguments cause another exit code than 0, 1 and 2, or a stack trace', async () => {
  const lists = fc.tuple(fc.oneof(fc.constantFrom(...COMMANDS.keys()), word), fc.array(word, { maxLength: 6 }))
  await checkAsync(
    fc.asyncProperty(lists, fc.uint8Array({ maxLength: 40 }), async ([first, rest], input) => {
      const args = isStarted(first) ? [first, ...REFUSED, ...rest] : [first, ...rest]
      const { code, output, complaint } = await runCommand(args, input)
      expect([0, 1, 2]).toContain(code)
      expect(output + complaint).not.toMatch(/^ +at .*\d+:\d+\)?$/m)
      expect(complaint).not.toMatch(/TypeError|RangeError|ReferenceError|\[object|undefined/)
      if (code === 2) expect(complaint).toMatch(/^millrace: ./)
    }),
    1000,
  )
})
