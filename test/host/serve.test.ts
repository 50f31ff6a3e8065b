import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram as run } from './program.ts'
import { typesOf, waitUntil, whenDone } from './test-server.ts'

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
    expect(typesOf(await reading).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
    expect(await exited).toBe(0)
    expect(output()).toContain('"event":"stopped"')
  })

  it('reports a mistake in its configuration with its path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    await writeFile(file, '{"listen":{"port":"high"}}')
    for (const { output, exited } of [run(['serve', '--config', file]), run(['serve'], { MILLRACE_CONFIG: file })]) {
      expect(await exited).not.toBe(0)
      expect(output()).toContain('listen.port: ')
    }
  })
})
