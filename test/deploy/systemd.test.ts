import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runProgram } from '../host/program.ts'
import { sha256, waitUntil } from '../host/test-server.ts'
import { REPOSITORY, readDeployed } from './files.ts'

/** The systemd unit, whose commands run here as systemd would run them. */

const UNIT = readDeployed('millrace.service')
const valuesOf = (name: string): readonly string[] =>
  [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-unit-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Credentials are copies that systemd makes at the start of a service, and never again. */
async function loadCredentials(): Promise<void> {
  await mkdir(path.join(folder, 'credentials'), { recursive: true })
  for (const line of valuesOf('LoadCredential')) {
    const [name = '', file = ''] = line.split(':')
    await copyFile(placed(file), path.join(folder, 'credentials', name))
  }
}

const placed = (text: string): string =>
  text.replaceAll('/etc/millrace', folder).replaceAll(/\$\{CREDENTIALS_DIRECTORY\}/g, path.join(folder, 'credentials'))

/** The words of a command, without what finds the program. */
const wordsOf = (command: string): readonly string[] => placed(command).replace('/usr/bin/env ', '').split(' ')

const writeConfig = (keys: readonly string[], more: object = {}): Promise<void> =>
  writeFile(
    path.join(folder, 'config.json'),
    JSON.stringify({
      listen: { port: 0 },
      keys: keys.map((name) => ({ name, sha256: sha256(name) })),
      recordings: true,
      ...more,
    }),
  )

/** Runs the commands of a reload in their order. The first that fails ends it. */
async function reload(pid: number): Promise<boolean> {
  for (const command of valuesOf('ExecReload')) {
    const [program = '', ...args] = wordsOf(command.replace('$MAINPID', String(pid)))
    const call = program === 'millrace' ? [process.execPath, [inject('program'), ...args]] : [program, args]
    const ended = await promisify(execFile)(call[0] as string, call[1] as string[]).then(
      () => true,
      () => false,
    )
    if (!ended) return false
  }
  return true
}

describe('the systemd unit', () => {
  it('starts the server, and a reload revokes a key, unless the file is wrong', async () => {
    await writeConfig(['first', 'second'])
    await loadCredentials()
    const [program, ...args] = wordsOf(valuesOf('ExecStart')[0] ?? '')
    expect(program).toBe('millrace')
    const { child, output } = runProgram(args)
    await waitUntil(() => /http:\/\/127\.0\.0\.1:\d+/.test(output()), 'the address')
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output()) ?? []
    const statusOf = async (key: string): Promise<number> =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 200])

    await writeConfig(['second'], { nonsense: true })
    expect(await reload(child.pid ?? 0)).toBe(false)
    expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 200])

    await writeConfig(['second'])
    expect(await reload(child.pid ?? 0)).toBe(true)
    await waitUntil(async () => (await statusOf('first')) === 401, 'the end of the key')
    expect(await statusOf('second')).toBe(200)
  })

  it('is the same on the page of deployment', () => {
    const page = readFileSync(new URL('docs/deployment.md', REPOSITORY), 'utf8')
    expect(page).toContain(`\`\`\`ini\n${UNIT}\`\`\``)
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  it.skipIf(!hasSystemd)('is a unit without errors', async () => {
    const file = path.join(folder, 'millrace.service')
    await writeFile(file, UNIT)
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    await writeFile(file, UNIT.replace('ExecReload=', 'ExecRelaod='))
    const wrong = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file], {
      encoding: 'utf8',
    })
    expect(wrong.stderr).toContain('ExecRelaod')
  })
})
