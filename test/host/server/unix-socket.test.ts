import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { listeningOn } from '../../../src/cli/listen-options.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { beginning, doneFrame, stopChunk, textChunk } from '../../mock-upstreams/server.ts'
import { KEY, REQUEST, startGateway, startTestServer, typesOf, whenDone } from '../test-server.ts'

async function socketPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  return join(folder, 'server.sock')
}

const send = (socketPath: string, body: unknown = REQUEST): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', host: 'llm.example' }
    const call = request({ socketPath, path: '/api/v1/responses', method: 'POST', headers, agent: false }, resolve)
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })

const problemsOf = (listen: object): readonly string[] => {
  const loaded = checkConfigValue({ listen })
  return loaded.ok ? [] : loaded.problems
}

describe.skipIf(process.platform === 'win32')('a server on a Unix socket', () => {
  it('answers under every name of host, with the permissions of the configuration, and removes it at its end', async () => {
    const path = await socketPath()
    const { url, running, upstream } = await startTestServer(beginning(textChunk('Half')), {
      listen: { path, mode: '0640' },
    })
    expect([url, running.page, statSync(path).mode % 0o1000]).toEqual([`unix:${path}`, null, 0o640])
    const answer = await send(path)
    const reading = text(answer)
    const { response } = await upstream.next()
    const drained = running.drain()
    response.end(stopChunk + doneFrame)
    expect([answer.statusCode, typesOf(await reading).at(-1)]).toEqual([200, '[DONE]'])
    await drained
    expect(existsSync(path)).toBe(false)
  })

  it('replaces a socket on which nobody listens', async () => {
    const path = await socketPath()
    const crashed = createServer().listen(`${path}.old`)
    await once(crashed, 'listening')
    // A process that is killed leaves its socket: here, the server no longer finds it at its path.
    await rename(`${path}.old`, path)
    crashed.close()
    await once(crashed, 'close')
    expect(existsSync(path)).toBe(true)
    await startGateway({ listen: { path } })
    expect((await send(path, { ...REQUEST, model: 'replay/hello' })).statusCode).toBe(200)
  })

  it('does not start on the socket of another program, on a file, or without a folder', async () => {
    const path = await socketPath()
    await startGateway({ listen: { path } })
    await expect(startGateway({ listen: { path } })).rejects.toThrow('another program listens on')
    expect((await send(path, { ...REQUEST, model: 'replay/hello' })).statusCode).toBe(200)
    const file = `${path}.txt`
    await writeFile(file, 'kept')
    await expect(startGateway({ listen: { path: file } })).rejects.toThrow('is not a socket')
    expect(existsSync(file)).toBe(true)
    await expect(startGateway({ listen: { path: join(path, '..', 'none', 'x.sock') } })).rejects.toThrow(
      'the folder does not exist',
    )
  })

  it('has neither a port nor TLS, and gives way to a port of the command line', () => {
    expect(problemsOf({ path: '/run/x.sock', port: 1 })).toEqual([expect.stringMatching(/^listen\.port: /)])
    const tls = { cert: 'cert.pem', key: 'key.pem' }
    expect(problemsOf({ path: '/run/x.sock', tls })).toEqual([expect.stringMatching(/^listen\.tls: /)])
    expect(problemsOf({ path: '/run/x.sock', mode: '0999' })).toEqual([expect.stringMatching(/^listen\.mode: /)])
    const loaded = checkConfigValue({ listen: { path: '/run/x.sock' } })
    if (!loaded.ok) throw new Error(loaded.problems.join())
    const listenOf = (address: Parameters<typeof listeningOn>[1]): object =>
      listeningOn(loaded.config, address).config.listen
    for (const address of [{}, { workers: 2 }])
      expect(listenOf(address)).toMatchObject({ path: '/run/x.sock', ...address })
    expect(listenOf({ port: 1 })).toMatchObject({ path: undefined, port: 1 })
  })
})
