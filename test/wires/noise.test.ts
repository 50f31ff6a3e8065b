import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/framing/frame.ts'
import { run } from '../../src/machine/run.ts'
import { ANSWER_BOUNDS } from '../../src/protocol/limits.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** A name that every wire reads an event under: others of Bedrock are passed over. */
const noise: Frame = { event: 'contentBlockDelta', data: '{"type":' }
const noises = (count: number): readonly Frame[] => Array.from({ length: count }, () => noise)

describe.each(Object.values(WIRES))('a stream of $name with frames that are no JSON', (wire) => {
  it('loses them, which is recorded once', () => {
    const deltas = run(wire.decodeStream({}), noises(ANSWER_BOUNDS.unreadable_frames))
    expect(deltas).toEqual([{ kind: 'loss', feature: 'a payload that is not a JSON object' }])
  })

  it('fails when they are more than the limit, and reads nothing more', () => {
    const machine = wire.decodeStream({})
    const failure: Frame = { event: 'error', data: '{"error":{"message":"too late"}}' }
    const deltas = run(machine, [...noises(ANSWER_BOUNDS.unreadable_frames + 2), failure])
    const errors = deltas.filter(({ kind }) => kind === 'error')
    expect(errors).toMatchObject([{ error: { party: 'upstream', code: 'upstream_invalid' } }])
  })
})
