import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'

/** The program with an output that breaks. */

const HELLO = fileURLToPath(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url))
const CUT = fileURLToPath(new URL('../../fixtures/openai-chat/cut-off.stream.sse', import.meta.url))
const CHAT = ['translate', '--from', 'openai-chat', '--to', 'openai']

const start = (args: readonly string[], flags: readonly string[] = []) => {
  const child = spawn(process.execPath, [...flags, inject('program'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (bytes) => (complaint += String(bytes)))
  return { child, complaint: () => complaint, exited: once(child, 'close') as Promise<[number | null]> }
}

describe('a command', () => {
  it('ends without an error when its reader closes the pipe', async () => {
    const { child, complaint, exited } = start([...CHAT, ...Array.from({ length: 200 }, () => HELLO)])
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await exited).toEqual([0, null])
    expect(complaint()).toBe('')
  })

  it('keeps its exit code if its messages cannot be written', async () => {
    const failing = `data:text/javascript,process.stderr._write=(c,e,done)=>done(Object.assign(new Error('EPIPE'),{code:'EPIPE'}))`
    for (const [args, expected] of [
      [['transalte'], 2],
      [[...CHAT, '--strict', CUT], 1],
    ] as const) {
      const { complaint, exited } = start(args, ['--import', failing])
      expect([(await exited)[0], complaint()]).toEqual([expected, ''])
    }
  })

  it.each(['EPIPE', 'ENOSPC'])('ends with the right exit code if its output fails with %s', async (code) => {
    // Node loads the module before the program: each write to the standard output fails.
    const failing = `data:text/javascript,process.stdout._write=(c,e,done)=>done(Object.assign(new Error('${code}: it fails'),{code:'${code}'}))`
    for (const args of [['help'], [...CHAT, HELLO]]) {
      const { complaint, exited } = start(args, ['--import', failing])
      const [status] = await exited
      expect([status, complaint()]).toEqual(
        code === 'EPIPE' ? [0, ''] : [2, `millrace: the output cannot be written: ENOSPC: it fails\n`],
      )
    }
  })
})
