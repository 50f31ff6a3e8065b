import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { typesOf, until, whenDone } from './harness.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

interface Run {
  readonly child: ChildProcess
  readonly said: () => string
  readonly exited: Promise<number | null>
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], { env: { PATH, HOME, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (said += String(bytes)))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  whenDone(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, said: () => said, exited }
}

describe('millrace serve', () => {
  it('prints a line to paste that streams a right answer, and stops when it is told', async () => {
    const { child, said, exited } = run(['serve'], { PORT: '0' })
    await until(() => said().includes('-d '), 'the line to paste', 15_000)
    const pasted = /curl -N (\S+) \\\n\s+-H '(.*)' \\\n\s+-H '(.*)' \\\n\s+-d '(.*)'/.exec(said())
    const [, url = '', key = '', type = '', body = ''] = pasted ?? []
    const headers = Object.fromEntries([key, type].map((header) => header.split(': ')))
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    const reading = response.text()
    child.kill('SIGTERM')
    expect(typesOf(await reading).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
    expect(await exited).toBe(0)
    expect(said()).toContain('"event":"stopped"')
  })

  it('says what is wrong with its configuration, and where', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    await writeFile(file, '{"listen":{"port":"high"}}')
    for (const { said, exited } of [run(['serve', '--config', file]), run(['serve'], { MILLRACE_CONFIG: file })]) {
      expect(await exited).not.toBe(0)
      expect(said()).toContain('listen.port: ')
    }
  })
})
