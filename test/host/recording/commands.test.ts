import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inPieces, startMockUpstream, streamOf } from '../../mock-upstreams/server.ts'
import { runProgram } from '../program.ts'
import { waitUntil, whenDone } from '../test-server.ts'

const DEV_KEY = 'development-key-of-nobody'
const VENDOR_KEY = 'vendor-key-of-nobody-4740'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-commands-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a server, makes one request, stops the server, and returns its output and the text of the answer. */
async function exchange(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { child, output, exited } = runProgram([...args, '--port', '0', '--log', 'json'], {
    MILLRACE_DEV_KEY: DEV_KEY,
    ...env,
  })
  const addressed = /curl (?:-N )?(\S+)\/(?:models|responses)/
  await waitUntil(() => addressed.test(output()), 'the line to paste')
  const [, base = ''] = addressed.exec(output()) ?? []
  const response = await fetch(`${base}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEV_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fast', input: `My key is ${DEV_KEY}.`, stream: true }),
  })
  const text = await response.text()
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  return {
    output: output(),
    text: text.replaceAll(/(?:resp|msg)_[0-9a-f]+|(?<="(?:created|completed)_at":)\d+/g, 'id'),
  }
}

describe('millrace record and millrace replay', () => {
  it('give the same answer with and without the vendor', async () => {
    const folder = await newFolder()
    const upstream = await startMockUpstream(inPieces(streamOf('Hel', 'lo'), 20))
    const config = join(folder, 'config.json')
    const acme = { wire: 'openai-chat', base_url: upstream.url, key: { env: 'ACME_KEY' } }
    const rule = { match: 'fast', to: ['acme/mock-1'] }
    await writeFile(config, JSON.stringify({ vendors: { acme }, models: [rule] }))
    const to = join(folder, 'recorded')
    const recorded = await exchange(['record', '--to', to, '--config', config], { ACME_KEY: VENDOR_KEY })
    expect(recorded.output).toContain(`millrace: recorded 1 exchange in ${to}`)
    await upstream.close()
    const [name = ''] = await readdir(to)
    const files = ['request.json', 'settings.json', 'stream.sse'].map((file) => readFile(join(to, name, file), 'utf8'))
    const all = (await Promise.all(files)).join('\n')
    for (const secret of [DEV_KEY, VENDOR_KEY]) expect(all).not.toContain(secret)

    const replayed = await exchange(['replay', to, '--fast', '--match', 'exact', '--config', config])
    expect(replayed.output).toContain('1 recording of acme/mock-1')
    expect(replayed.output).toContain(`"recording":"${name}"`)
    expect(replayed.text).toBe(recorded.text)
    expect(replayed.text).toContain('"delta":"Hel"')
  })

  it.each([
    [['record'], 'record: --to is missing'],
    [['record', '--to', '/dev/null/recordings'], 'cannot be created'],
    [['replay'], 'expected the folder of the recordings'],
    [['replay', '/nowhere'], '"/nowhere" is not a folder'],
    [['replay', tmpdir(), '--match', 'exactly'], 'exact'],
  ])('end %j with the reason', async (args, reason) => {
    const { output, exited } = runProgram(args, {})
    expect(await exited).toBe(2)
    expect(output()).toContain(reason)
  })
})
