import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { configPath } from '../../src/cli/config-file.ts'
import { parseConfig } from '../../src/gateway/config/parse-config.ts'
import { runCommand } from './run-command.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-init-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

describe('millrace init', () => {
  it('writes a configuration with the hash of a key that it prints once', async () => {
    vi.stubEnv('GROQ_API_KEY', 'k')
    const to = path.join(folder, 'new.jsonc')
    const { code, output, complaint } = await runCommand(['init', '--to', to, '--name', 'laptop'])
    expect([code, complaint]).toEqual([0, ''])
    const [key = ''] = /mr-[\da-f]{48}/.exec(output) ?? []
    const text = await readFile(to, 'utf8')
    expect(text).not.toContain(key)
    expect(parseConfig(text, {})).toMatchObject({
      ok: true,
      config: { keys: [{ name: 'laptop', sha256: hash('sha256', key) }] },
    })
    expect((await stat(to)).mode & 0o777).toBe(0o600)
    expect(output).toContain('GROQ_API_KEY')
    expect((await runCommand(['serve', '--check', '--config', to])).code).toBe(0)
  })

  it.each([
    ['npm_command', 'exec', 'npx millrace'],
    ['npm_lifecycle_event', 'millrace', 'npm run -s millrace --'],
  ])('names the command as it was typed: %s', async (variable, value, command) => {
    for (const name of ['npm_command', 'npm_lifecycle_event']) vi.stubEnv(name, '')
    vi.stubEnv('GROQ_API_KEY', 'k')
    const first = await runCommand(['init', '--to', path.join(folder, `plain-${value}.jsonc`)])
    expect(first.output).toContain('Start the server: millrace serve --config')
    vi.stubEnv(variable, value)
    const { output } = await runCommand(['init', '--to', path.join(folder, `as-${value}.jsonc`)])
    expect(output).toContain(`Start the server: ${command} serve --config`)
  })

  it('names a folder that does not exist', async () => {
    const to = path.join(folder, 'none', 'config.jsonc')
    expect((await runCommand(['init', '--to', to])).complaint).toBe(
      `millrace: init: "${to}" cannot be written: its folder does not exist.\n`,
    )
  })

  it('overwrites no file', async () => {
    const to = path.join(folder, 'mine.jsonc')
    await writeFile(to, 'mine')
    const { code, complaint } = await runCommand(['init', '--to', to])
    expect([code, complaint]).toEqual([
      2,
      expect.stringContaining('it already exists. Move it away, or name another file with --to FILE.'),
    ])
    expect(await readFile(to, 'utf8')).toBe('mine')
  })
})

describe('the file of a server', () => {
  it('is that of the option, of the variable, of the folder, or none', async () => {
    const before = process.cwd
    process.cwd = () => folder
    try {
      expect(configPath('a.json', { MILLRACE_CONFIG: 'b.json' })).toBe('a.json')
      expect(configPath('', { MILLRACE_CONFIG: 'b.json' })).toBe('')
      expect(configPath(undefined, { MILLRACE_CONFIG: 'b.json' })).toBe('b.json')
      expect(configPath(undefined, {})).toBe('')
      await writeFile(path.join(folder, 'millrace.json'), '{}')
      expect(configPath(undefined, {})).toBe(path.join(folder, 'millrace.json'))
      await writeFile(path.join(folder, 'millrace.jsonc'), '{}')
      expect(configPath(undefined, {})).toBe(path.join(folder, 'millrace.jsonc'))
    } finally {
      process.cwd = before
    }
  })

  it('is refused with the reason if the folder has it in YAML only', async () => {
    const yaml = await mkdtemp(path.join(folder, 'yaml-'))
    await writeFile(path.join(yaml, 'millrace.yaml'), 'listen:\n  port: 1\n')
    const before = process.cwd
    process.cwd = () => yaml
    try {
      for (const args of [['serve'], ['serve', '--check']]) {
        const { code, complaint } = await runCommand(args)
        expect(code).not.toBe(0)
        expect(complaint).toContain('JSON with comments, not YAML')
      }
    } finally {
      process.cwd = before
    }
  })

  it.each(['yaml', 'yml'])('is refused with the reason if it is %s', async (ending) => {
    const file = path.join(folder, `config.${ending}`)
    await writeFile(file, 'listen:\n  port: 1\n')
    for (const args of [
      ['serve', '--check', '--config', file],
      ['serve', '--config', file],
    ]) {
      const { code, complaint } = await runCommand(args)
      expect(code).not.toBe(0)
      expect(complaint).toContain('JSON with comments, not YAML')
    }
  })
})
