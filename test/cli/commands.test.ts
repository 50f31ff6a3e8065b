import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { runCommand } from './run-command.ts'

const ROOT = new URL('../../', import.meta.url)
const HELLO = readFileSync(new URL('fixtures/openai-chat/hello.stream.sse', ROOT))
const BODY = readFileSync(new URL('fixtures/openai-chat/hello.body.json', ROOT))
const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
const CHAT = ['translate', '--from', 'openai-chat', '--to', 'openai']
const COMMANDS = ['serve', 'launch', 'translate', 'check', 'trace']

describe('millrace', () => {
  it.each([['--version'], ['-v']])('prints its version for %s', async (flag) => {
    expect(await runCommand([flag])).toEqual({ code: 0, output: `${version}\n`, complaint: '' })
  })

  it.each([[['--help']], [['-h']], [['help']], [[]]])(
    'prints the commands on the standard output for %j',
    async (args) => {
      const { code, output, complaint } = await runCommand(args)
      expect([code, complaint]).toEqual([0, ''])
      for (const name of COMMANDS) expect(output).toMatch(new RegExp(`^  ${name} `, 'm'))
    },
  )

  it.each(COMMANDS)('prints the options of %s and an example on the standard output', async (name) => {
    const { code, output, complaint } = await runCommand([name, '--help'])
    expect([code, complaint]).toEqual([0, ''])
    expect(output).toMatch(new RegExp(`^Usage: millrace ${name} `))
    expect(output).toMatch(new RegExp(`^Examples?:\n( {2}.*\n)* {2}.*millrace ${name}`, 'm'))
    for (const other of COMMANDS.filter((one) => one !== name)) expect(output).not.toContain(`Usage: millrace ${other}`)
    expect((await runCommand(['help', name])).output).toBe(output)
  })

  it('prints an error on the standard error if its arguments are wrong', async () => {
    for (const [args, complaint] of [
      [['transalte'], /"transalte".*Did you mean "translate"\?/],
      [['help', 'transalte'], /"transalte".*Did you mean "translate"\?/],
      [['translate', '--form', 'x'], /--form/],
    ] as const) {
      const result = await runCommand(args)
      expect([result.code, result.output]).toEqual([2, ''])
      expect(result.complaint).toMatch(complaint)
    }
  })
})

describe('a call that a command does not support', () => {
  it.each([
    [
      'an option of another command',
      ['serve', '--collect'],
      'serve: --collect is not an option of serve. Options: --config, --check, --port, --host, --workers, --log, --log-level.',
    ],
    [
      'an option of translate',
      ['check', '--from', 'x'],
      'check: --from is not an option of check. Options: --dialect, --model, --key, --protocol, --only, --max-requests, --max-tokens, --json, --junit, --badge, --strict.',
    ],
    [
      'an option before the command',
      ['--slow', 'trace'],
      '--slow: expected a command first, such as millrace trace --slow. Run millrace --help.',
    ],
    [
      'an option beside --version',
      ['--version', '--json'],
      '--version: expected no argument, got "--json". Give --version alone.',
    ],
    [
      'an argument for serve',
      ['serve', 'a.json'],
      'serve: expected no argument, got "a.json". Name the configuration file with --config FILE.',
    ],
    [
      'two arguments for help',
      ['help', 'serve', 'check'],
      'help: expected at most one argument, got "serve", "check". Name one command.',
    ],
    [
      'an argument for --version',
      ['--version', 'serve'],
      '--version: expected no argument, got "serve". Give --version alone.',
    ],
    [
      'an option that is given twice',
      [...CHAT, '--to', 'beta', '-'],
      '--to: expected one value, got a second one. Give it once.',
    ],
    [
      'an option with an equals sign that is given twice',
      ['serve', '--config=a', '--config=b'],
      '--config: expected one value, got a second one. Give it once.',
    ],
  ])('is refused with a remedy, such as %s', async (_, args, complaint) => {
    expect(await runCommand(args)).toEqual({ code: 2, output: '', complaint: `millrace: ${complaint}\n` })
  })
})

describe('an unknown name', () => {
  it.each([
    ['--from', 'openai-chta', ['translate', '--from', 'openai-chta', '--to', 'beta', '-'], 'openai-chat'],
    ['--from', 'Anthropic', ['translate', '--from', 'Anthropic', '--to', 'beta', '-'], 'anthropic-messages'],
    ['--to', 'bta', ['translate', '--from', 'openai-chat', '--to', 'bta', '-'], 'beta'],
    ['--dialect', 'opena', ['check', '--dialect', 'opena'], 'openai'],
  ])('for %s, such as %s, is rejected with the known names and the closest one', async (flag, name, args, closest) => {
    const { code, output, complaint } = await runCommand(args)
    expect([code, output]).toEqual([2, ''])
    expect(complaint).toContain(`${flag}: "${name}" is not known. Did you mean "${closest}"?`)
    const known = flag === '--from' ? Object.keys(WIRES) : ['beta', 'openai']
    for (const one of known) expect(complaint).toContain(one)
  })

  it('that resembles no known name gets no suggestion', async () => {
    const { complaint } = await runCommand(['translate', '--from', 'telegraph', '--to', 'beta', '-'])
    expect(complaint).toBe(
      `millrace: --from: "telegraph" is not known. Expected one of: ${Object.keys(WIRES).join(', ')}.\n`,
    )
  })

  it('of a vendor is translated without quirks, with a line on the standard error', async () => {
    const { code, complaint } = await runCommand([...CHAT, '--vendor', 'gorq', '-'], HELLO)
    expect(code).toBe(0)
    expect(complaint).toContain('--vendor: "gorq" is not known: no quirks. Did you mean "groq"?')
    for (const name of VENDOR_NAMES) expect(complaint).toContain(name)
  })
})

describe('the argument -', () => {
  it('is the standard input of translate, a stream or a body', async () => {
    const file = new URL('fixtures/openai-chat/hello.stream.sse', ROOT).pathname
    const streamed = await runCommand([...CHAT, '-'], HELLO)
    expect([streamed.code, streamed.complaint]).toEqual([0, ''])
    // Ids derive from the name of the file.
    const withoutIds = (text: string): string => text.replace(/(resp|msg)_[\w]+/g, '$1_')
    expect(withoutIds(streamed.output)).toBe(withoutIds((await runCommand([...CHAT, file])).output))
    const whole = await runCommand([...CHAT, '--collect', '-'], BODY)
    expect([whole.code, whole.complaint]).toEqual([0, ''])
    expect(JSON.parse(whole.output)).toMatchObject({ status: 'completed' })
  })

  it('is the standard input of check', async () => {
    const { output } = await runCommand([...CHAT, '-'], HELLO)
    for (const args of [['check', '-'], ['check']]) {
      const checked = await runCommand(args, Buffer.from(output))
      expect([checked.code, checked.output]).toEqual([0, expect.stringMatching(/^-: clean, \d+ events\n$/)])
    }
  })

  it('is rejected if it is given twice', async () => {
    const { code, complaint } = await runCommand([...CHAT, '-', '-'], HELLO)
    expect(code).toBe(2)
    expect(complaint).toContain('the standard input')
  })
})
