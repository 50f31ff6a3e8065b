import { expect, it } from 'vitest'
import { openSender } from '../../../src/host/telemetry/undici-sender.ts'
import { HTTP_FRAMINGS, startRawUpstream, writeAnswer } from '../../mock-upstreams/raw-http.ts'
import { whenDone } from '../test-server.ts'

const CASES = HTTP_FRAMINGS.flatMap((framing) =>
  (['fin', 'rst'] as const).flatMap((ending) => [1000, 65_536, 500_000].map((length) => ({ framing, ending, length }))),
)

it.each(CASES)(
  'a destination that answers $length bytes ($framing.name, $ending) ends its request alone',
  async (one) => {
    const { framing, ending, length } = one
    const destination = await startRawUpstream(({ socket }) =>
      writeAnswer(socket, {
        framing,
        status: 200,
        headers: {},
        body: Buffer.alloc(length, 'x'),
        piece: 20_000,
        cut: null,
        ending,
      }),
    )
    whenDone(destination.close)
    const bugs: unknown[] = []
    const sender = openSender(20_000, null, (error) => void bugs.push(error))
    whenDone(sender.close)
    const send = () =>
      sender.send({ method: 'POST', url: destination.url, headers: {}, body: '{}', signing: null, traces: 1 })
    const results = [await send(), await send()]
    // A reset may discard bytes that were not read yet.
    for (const { kind } of results) expect(ending === 'fin' ? ['taken'] : ['taken', 'failed']).toContain(kind)
    expect(bugs).toEqual([])
  },
)
