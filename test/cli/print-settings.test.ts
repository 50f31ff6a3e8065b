import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PRINTED_SETTINGS } from '../../src/cli/launch/printed-settings.ts'
import { runCommand } from './run-command.ts'

const NAMES = [...PRINTED_SETTINGS.keys()]
const MODEL = "groq/it's $HOME"
const URL = 'https://models.example'

describe('the settings of a coding agent for a running server', () => {
  it('exist for the agents that have been measured', () => {
    expect(NAMES).toEqual(['claude', 'codex', 'gemini', 'opencode', 'cline', 'continue', 'qwen', 'copilot', 'pi'])
  })

  it.each(NAMES)(
    'of %s name the address, the model and the variable of the key, and have their place beside',
    async (name) => {
      const { code, output, complaint } = await runCommand(['launch', '--print', name, '--model', MODEL, '--url', URL])
      expect(code).toBe(0)
      expect(output).toMatch(/https:\/\/models\.example(\/v1)?['"]/)
      expect(output).toContain('MILLRACE_KEY')
      expect(output).toContain('groq/')
      expect(complaint).toMatch(/^(Run|Add|Write) .*Set MILLRACE_KEY to one of the server’s keys\.\n$/)
    },
  )

  it.each(['claude', 'gemini', 'qwen', 'copilot'])(
    'of %s are lines of a shell, whatever the model is named',
    async (name) => {
      const { output } = await runCommand(['launch', '--print', name, '--model', MODEL])
      const shell = spawnSync('sh', ['-c', `${output}\nenv`], { env: { MILLRACE_KEY: 'k 1' }, encoding: 'utf8' })
      expect([shell.status, shell.stderr]).toEqual([0, ''])
      expect(shell.stdout).toContain(`=${MODEL}\n`)
      expect(shell.stdout).toContain('=k 1\n')
      expect(shell.stdout).toContain('=http://127.0.0.1:8787')
    },
  )

  it.each(['opencode', 'pi'])('of %s are a file of JSON', async (name) => {
    const { output } = await runCommand(['launch', '--print', name, '--model', MODEL])
    expect(JSON.stringify(JSON.parse(output))).toContain('http://127.0.0.1:8787/v1')
  })

  it.each(['/', '/v1', '/v1/'])('have the address without the path %s', async (path) => {
    const args = ['launch', '--print', 'claude', '--url']
    const { output } = await runCommand([...args, `${URL}${path}`])
    expect(output).toBe((await runCommand([...args, URL])).output)
  })

  it.each(['nope', '', 'ftp://models.example', `${URL}/api`, `${URL}/v1?a=1`, 'https://me:secret@models.example'])(
    'are refused for an address that is none: %s',
    async (url) => {
      const { code, output, complaint } = await runCommand(['launch', '--print', 'codex', '--url', url])
      expect([code, output, complaint]).toEqual([
        2,
        '',
        `millrace: --url: expected an http or https URL without a path, such as http://127.0.0.1:8787, got "${url}".\n`,
      ])
    },
  )

  it('need a model where the agent has none of its own, and a known name', async () => {
    const refused = await runCommand(['launch', '--print', 'pi'])
    expect([refused.code, refused.complaint]).toEqual([
      2,
      'millrace: launch --print pi: the model is missing. Add --model <vendor>/<model>.\n',
    ])
    expect((await runCommand(['launch', '--print', 'coplot'])).complaint).toContain('Did you mean "copilot"?')
    expect((await runCommand(['launch', '--print', 'codex'])).code).toBe(0)
    expect((await runCommand(['launch', 'codex', '--url', URL])).complaint).toContain('Add --print.')
  })
})
