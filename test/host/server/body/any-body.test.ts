import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BODIES, corruptedBodies, mutated } from '../../../arbitraries/bodies.ts'
import { bodyOf, inPieces, streamOf, withBody } from '../../../mock-upstreams/server.ts'
import { json, post, startTestServer } from '../../test-server.ts'

const SEED = Number(process.env.SEED ?? 20_261_101)
const RUNS = 400 * Number(process.env.RUNS ?? 1)

it('the server answers every mutated body, or rejects it with a 4xx status, and logs no bug', async () => {
  const { url, lines } = await startTestServer((response, request) =>
    (request.body.stream === true ? inPieces(streamOf('Hello'), 300) : withBody(bodyOf('Hello')))(response, request),
  )
  // The model is replaced by one that this server has, unless the mutation changed it.
  const text = fc.oneof(
    mutated.map((body) => JSON.stringify(body) ?? ''),
    corruptedBodies,
  )
  const bodies = [...BODIES.map((body) => JSON.stringify(body)), ...fc.sample(text, { seed: SEED, numRuns: RUNS })]
  const statuses = new Map<number, number>()
  for (const body of bodies) {
    const response = await post(url, body.replace('"a/b"', '"acme/mock-1"'), { path: '/openai/v1/responses' })
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    expect(response.status, body).toBeLessThan(500)
    if (response.status === 200) await response.text()
    else {
      expect(await json(response)).toMatchObject({
        error: {
          code: expect.any(String),
          message: expect.any(String),
          type: expect.any(String),
          param: expect.any(String),
        },
        metadata: null,
      })
    }
  }
  expect(statuses.get(200)).toBeGreaterThan(BODIES.length)
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 5)
  expect(lines.filter(({ event }) => event === 'bug')).toEqual([])
})
