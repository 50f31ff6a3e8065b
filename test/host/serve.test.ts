import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runProgram as run } from './program.ts'
import { typesOf, waitUntil, whenDone } from './test-server.ts'

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

describe('millrace serve', () => {
  it('prints a curl command that streams an answer, and stops at SIGTERM', async () => {
    const { child, output, exited } = run(['serve'], { PORT: '0' })
    await waitUntil(() => output().includes('-d '), 'the line to paste')
    const pasted = /curl -N (\S+) \\\n\s+-H '(.*)' \\\n\s+-H '(.*)' \\\n\s+-d '(.*)'/.exec(output())
    const [, url = '', key = '', type = '', body = ''] = pasted ?? []
    const headers = Object.fromEntries([key, type].map((header) => header.split(': ')))
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    const reading = response.text()
    child.kill('SIGTERM')
    expect(typesOf(await reading).slice(-3)).toEqual(['response.output_item.done', 'response.completed', '[DONE]'])
    expect(await exited).toBe(0)
    expect(output()).toContain('"event":"stopped"')
  })

  it('prints the name of the variable in place of a chosen development key', async () => {
    const chosen = 'a-chosen-key-of-somebody'
    const { output } = run(['serve'], { PORT: '0', MILLRACE_DEV_KEY: chosen })
    await waitUntil(() => output().includes('-d '), 'the line to paste')
    expect(output()).toContain('-H "Authorization: Bearer $MILLRACE_DEV_KEY"')
    expect(output()).not.toContain(chosen)
  })

  it('prints the path of the first configured mount', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    await writeFile(file, '{"listen":{"port":0},"mounts":[{"path":"/mine/","dialect":"openai"}]}')
    const { output } = run(['serve', '--config', file])
    await waitUntil(() => output().includes('-d '), 'the line to paste')
    expect(output()).toMatch(/^curl -N http:\/\/[^/]+\/mine\/responses /m)
  })

  it('stops when npm, which started it, receives SIGTERM', async () => {
    const { PATH = '', HOME = '' } = process.env
    const cwd = fileURLToPath(new URL('../../', import.meta.url))
    const child = spawn('npm', ['start'], { cwd, env: { PATH, HOME, PORT: '0' }, detached: true })
    // A group of its own: a server that npm leaves behind ends with the test.
    whenDone(async () => void (child.pid !== undefined && killGroup(child.pid)))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)))
    await waitUntil(() => output.includes('-d '), 'the line to paste')
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    // The server has the output of npm, which is closed when both have ended.
    await closed
    expect(output).toContain('"event":"stopped"')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('stops in order at a %s that arrives while it starts', async (signal) => {
    const { child, output, exited } = run(['serve', '--log-level', 'debug'], { PORT: '0' })
    await waitUntil(() => output().includes('"event":"configuration"'), 'the first line of the log')
    child.kill(signal)
    expect(await exited).toBe(0)
    expect(output()).toContain('"event":"stopped"')
  })

  it('listens on the address of its options, before and after a reload, and logs as they say', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    await writeFile(file, '{"listen":{"host":"192.0.2.1","port":1}}')
    const address = ['--port', '0', '--host', '127.0.0.1']
    const { child, output } = run(['serve', '--config', file, ...address, '--log', 'pretty', '--log-level', 'debug'], {
      PORT: '1',
    })
    await waitUntil(() => output().includes('-d '), 'the line to paste')
    expect(output()).toMatch(/^[\d:.]+ {2}configuration {2}file .*config\.json {2}mounts \/\S+.* {2}keys 0$/m)
    const [, url = ''] = /^[\d:.]+ {2}listening {2}(http:\/\/127\.0\.0\.1:\d+)/m.exec(output()) ?? []
    expect(output()).toContain(`page for the browser: ${url}/`)
    expect((await fetch(`${url}/api/v1/models`)).status).toBe(401)
    child.kill('SIGHUP')
    await waitUntil(() => output().includes('reloaded'), 'the reload')
    expect(output()).toContain('reloaded  restart needed none')
    await waitUntil(() => /401 {2}GET .*missing_authentication \(client\)/.test(output()), 'the line of the request')
  })

  it.each([
    [['--port', '65536'], '--port: expected a number from 0 to 65535, got "65536". 0 is a free port.'],
    [['--host', ''], '--host: expected a name or an address, got "". Left out, it is 127.0.0.1.'],
    [['--log', 'xml'], '--log: "xml" is not known. Expected one of: json, pretty.'],
    [
      ['--log-level', 'inf'],
      '--log-level: "inf" is not known. Did you mean "info"? Expected one of: error, warn, info, debug.',
    ],
    [['--host', '0.0.0.0', '--port', '0'], 'listen.host: 0.0.0.0 is reachable from other machines'],
  ])('refuses %j with the remedy', async (options, message) => {
    const { output, exited } = run(['serve', ...options])
    expect(await exited).toBe(2)
    expect(output()).toContain(`millrace: ${message}`)
  })

  it('reports a mistake in its configuration with its path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    await writeFile(file, '{"listen":{"port":"high"}}')
    for (const { output, exited } of [run(['serve', '--config', file]), run(['serve'], { MILLRACE_CONFIG: file })]) {
      expect(await exited).not.toBe(0)
      expect(output()).toContain('listen.port (line 1, column 12): ')
    }
  })
})
