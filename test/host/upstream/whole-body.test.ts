import { expect, it } from 'vitest'
import { wholeBody } from '../../../src/gateway/upstream/read-response-body.ts'
import type { UpstreamResponse } from '../../../src/gateway/upstream/transport.ts'
import { batchReads } from '../../../src/host/upstream/batch-reads.ts'
import type { GatewayError } from '../../../src/protocol/error.ts'
import type { Result } from '../../../src/protocol/result.ts'

const NOTHING = (): void => undefined
const UPSTREAM: UpstreamResponse = {
  status: 200,
  headers: {},
  read: NOTHING,
  pause: NOTHING,
  resume: NOTHING,
  abort: NOTHING,
}

it.each(['end', 'fail'] as const)(
  'a body that exceeds a limit is reported once if its %s arrives in the same read',
  (last) => {
    const results: Result<string>[] = []
    const owner = {
      onBug(error: unknown): never {
        throw error
      },
    }
    const reader = batchReads(
      wholeBody(UPSTREAM, { bytes: 4, values: 10 }, (body) => results.push(body)),
      owner,
    )
    reader.bytes(new TextEncoder().encode('"longer"'))
    if (last === 'end') reader.end()
    else reader.fail({} as GatewayError)
    expect(results).toMatchObject([{ ok: false, error: { code: 'upstream_too_large' } }])
  },
)
