import { hash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CLIENT_NAMES, TARGET_NAMES } from '../../src/alignment/named-target.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import {
  agentChoices,
  clientChoices,
  dialectChoices,
  targetChoices,
  vendorChoices,
  wireChoices,
} from '../../src/cli/program/choices.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { runCommand } from './run-command.ts'

afterEach(() => vi.unstubAllEnvs())

describe('millrace key', () => {
  it('prints a new key, with an entry that the configuration accepts', async () => {
    const { code, output, complaint } = await runCommand(['key', '--name', 'lap"top'])
    expect([code, complaint]).toEqual([0, ''])
    const [key = ''] = output.split('\n')
    expect(key).toMatch(/^mr-[0-9a-f]{48}$/)
    const config = JSON.parse(`{${/"keys": [\s\S]*\]/.exec(output)?.[0] ?? ''}}`)
    expect(config).toEqual({ keys: [{ name: 'lap"top', sha256: hash('sha256', key) }] })
    expect(checkConfigValue(config).ok).toBe(true)
    expect((await runCommand(['key'])).output).not.toContain(key)
    const json = JSON.parse((await runCommand(['key', '--json'])).output)
    expect(json).toEqual({ key: json.key, name: 'client', sha256: hash('sha256', json.key) })
  })

  it('prints the hash alone of a key on the standard input', async () => {
    for (const text of ['a-key', 'a-key\n']) {
      expect((await runCommand(['key', '-'], Buffer.from(text))).output).toBe(`${hash('sha256', 'a-key')}\n`)
    }
  })

  it.each([
    [['key', 'a-key'], 'key: expected - for a key on the standard input, because other users can list arguments.'],
    [['key', '-'], 'key: the standard input has no key.'],
    [['key', '--name', ' '], '--name: expected the name of the key, got no characters.'],
  ])('refuses %j with the remedy', async (args, complaint) => {
    expect(await runCommand(args)).toEqual({ code: 2, output: '', complaint: `millrace: ${complaint}\n` })
  })
})

describe('millrace vendors', () => {
  it('lists every vendor with its wires, its key and its address', async () => {
    vi.stubEnv('GROQ_API_KEY', 'planted-secret')
    const { code, output } = await runCommand(['vendors'])
    expect(code).toBe(0)
    const rows = output.trimEnd().split('\n')
    expect(rows[0]).toMatch(/^VENDOR +WIRES +KEY +SET +BASE URL$/)
    expect(rows.slice(1).map((row) => row.split(' ')[0])).toEqual(VENDOR_NAMES.toSorted())
    expect(rows.find((row) => row.startsWith('groq '))).toMatch(/^groq +openai-chat.* GROQ_API_KEY +yes +https:\/\//)
    expect(rows.find((row) => row.startsWith('ollama '))).toMatch(/^ollama +ollama-chat +- +- +http:\/\/127/)
    expect(output).not.toContain('planted-secret')
  })

  it('prints JSON lines, and only the vendors that are asked for', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k')
    const { output } = await runCommand(['vendors', '--json', '--set', '--wire', 'anthropic-messages'])
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual({
      vendor: 'anthropic',
      wires: ['anthropic-messages'],
      key_variable: 'ANTHROPIC_API_KEY',
      key_is_set: true,
      base_url: 'https://api.anthropic.com',
    })
    for (const { wires, key_variable, key_is_set } of lines) {
      expect(wires).toContain('anthropic-messages')
      expect(key_variable === null || key_is_set).toBe(true)
    }
  })
})

describe('the choices of options', () => {
  it('are the names of the registries', async () => {
    expect(await wireChoices()).toEqual(Object.keys(WIRES))
    expect(await dialectChoices()).toEqual(Object.keys(DIALECTS))
    expect(await clientChoices()).toEqual(CLIENT_NAMES)
    expect(await targetChoices()).toEqual(TARGET_NAMES)
    expect(await vendorChoices()).toEqual(VENDOR_NAMES)
    expect((await agentChoices()).length).toBeGreaterThan(3)
  })

  it('are listed in the message for every other value of every option and argument', async () => {
    for (const { name, options, args } of COMMANDS.values()) {
      for (const [long, { choices, isOpen }] of Object.entries(options)) {
        if (choices === undefined || isOpen === true) continue
        const { code, complaint } = await runCommand([name, `--${long}`, 'no-such-value'])
        expect([code, complaint]).toEqual([
          2,
          expect.stringContaining(`Expected one of: ${(await choices()).join(', ')}.`),
        ])
      }
      if (args?.choices === undefined) continue
      const { code, complaint } = await runCommand([name, 'no-such-value'])
      expect([code, complaint]).toEqual([
        2,
        expect.stringContaining(`Expected one of: ${(await args.choices()).join(', ')}.`),
      ])
    }
  })
})
